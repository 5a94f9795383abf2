// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.call;

import io.boltwork.BackendException;
import io.boltwork.LockKind;
import io.boltwork.redis.wire.FlatReply;
import io.boltwork.redis.wire.KeySpace;
import io.boltwork.spi.Command;
import io.boltwork.spi.Command.LockCommand;
import io.boltwork.spi.Reply;
import io.netty.buffer.ByteBuf;
import java.util.function.Consumer;

/**
 * A client's command under way as a script, and the handler of its reply. {@link ScriptSpecs} defines what is sent.
 *
 * @param <C> the type of the command
 */
public final class ScriptCall<C extends Command<?>> extends EvalCall {
    private final ScriptSpec<C> spec;
    private final C command;
    private final Consumer<Reply> handler;

    /** True if the lock is shared with Redisson. */
    private final boolean bridged;

    /** The command to send again after a redirection, and the handler of its reply. */
    private Command<?> wish;

    private Consumer<Reply> wisher;

    /** The slot of the lock in a cluster, else 0. */
    private int slot;

    /** The number of redirections so far. */
    private int hops;

    private ScriptCall(ScriptSpec<C> spec, ServerConnection connection, C command, Consumer<Reply> handler) {
        super(connection);
        this.spec = spec;
        this.command = command;
        this.handler = handler;
        this.bridged = command instanceof LockCommand<?> about
                && about.kind() == LockKind.LOCK
                && connection.keySpace().isBridged(about.lock());
        this.wish = command;
        this.wisher = handler;
    }

    /** Reads the scripts from their files, unless this has been done. */
    public static void loadScripts() {
        Script.ACQUIRE.name();
    }

    /** Returns the call of a command that is neither a query nor a {@link Command.Replicate}. */
    public static ScriptCall<?> of(ServerConnection connection, Command<?> command, Consumer<Reply> handler) {
        return of(command.accept(ScriptSpecs.BY_KIND), connection, command, handler);
    }

    @SuppressWarnings("unchecked") // the spec is of the command's kind
    private static <C extends Command<?>> ScriptCall<C> of(
            ScriptSpec<C> spec, ServerConnection connection, Command<?> command, Consumer<Reply> handler) {
        return new ScriptCall<>(spec, connection, (C) command, handler);
    }

    /** Returns the call of an acquisition. */
    public static ScriptCall<Command.Acquire> acquire(
            ServerConnection connection, Command.Acquire command, Consumer<Reply> handler) {
        return new ScriptCall<>(ScriptSpecs.BY_KIND.acquire(command), connection, command, handler);
    }

    /** Returns the call of a renewal, either of plain locks only or of shared ones only. */
    public static ScriptCall<Command.Renew> renew(
            ServerConnection connection, Command.Renew command, Consumer<Reply> handler) {
        return new ScriptCall<>(ScriptSpecs.BY_KIND.renew(command), connection, command, handler);
    }

    /** Sets the slot of a cluster, and the number of redirections so far. Returns this call. */
    public ScriptCall<C> to(int itsSlot, int redirections) {
        slot = itsSlot;
        hops = redirections;
        return this;
    }

    /** Sets the command that a redirection sends instead of this one. Returns this call. */
    public ScriptCall<C> insteadOf(Command<?> other, Consumer<Reply> itsHandler) {
        wish = other;
        wisher = itsHandler;
        return this;
    }

    /**
     * Returns the kind by which {@code group.lua} knows the script, or an empty text if the call cannot be part of a
     * group.
     */
    public String inGroup() {
        return bridged ? "" : spec.inGroup();
    }

    /** Returns the origin that scripts put into their messages. */
    String origin() {
        return connection.origin(slot);
    }

    KeySpace keySpace() {
        return connection.keySpace();
    }

    @Override
    Script script() {
        return bridged ? spec.script().bridged() : spec.script();
    }

    @Override
    int keys() {
        return spec.keys().count(command, connection.keySpace());
    }

    @Override
    int arguments() {
        return spec.arguments().count();
    }

    @Override
    void writeKeys(ByteBuf out, KeySpace keySpace) {
        spec.keys().write(out, command, keySpace);
    }

    @Override
    void writeArguments(ByteBuf out) {
        spec.arguments().write(out, command, this);
    }

    private String about() {
        return spec.keys().describe(command, connection.keySpace());
    }

    @Override
    void answered(FlatReply answer) {
        Reply reply;
        try {
            reply = spec.reader().read(answer, command, connection.run());
        } catch (RuntimeException e) {
            reply = connection.errors().unexpected(e, about());
        }
        handler.accept(reply);
    }

    @Override
    void rejected(String error) {
        if (!connection.redirector().redirected(connection, wish, slot, hops, error, wisher)) {
            handler.accept(connection.refused(error, about()));
        }
    }

    @Override
    void failed(Throwable cause, boolean written) {
        BackendException lost = connection.errors().lost(cause, written, about());
        handler.accept(new Reply.Failed(written, lost));
    }
}
