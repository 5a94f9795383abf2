package io.boltwork.redis;

import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.RedisCommand;
import io.netty.buffer.ByteBuf;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Something under way on one connection.
 *
 * <p>It writes itself straight into Lettuce's buffer and is told the outcome on Lettuce's I/O thread; there is no future and
 * no time-out in between. A call belongs to its connection for good, and a connection to one run of one server (it is never
 * made anew, see {@link ServerConnection}), so a reply cannot be taken for that of another run.
 */
abstract class Call implements RedisCommand<byte[], byte[], @Nullable Void>, Doubt.Kept {
    private static final AtomicIntegerFieldUpdater<Call> STATE =
            AtomicIntegerFieldUpdater.newUpdater(Call.class, "state");

    private static final int NEW = 0;
    private static final int WRITTEN = 1;
    private static final int DONE = 2;

    final ServerConnection connection;
    private FlatReply output = new FlatReply();
    private volatile int state = NEW;

    /** Where it left, {@code null} if nobody counts it. */
    private @Nullable Outlet outlet;

    Call(ServerConnection connection) {
        this.connection = connection;
    }

    /** Writes the command. */
    abstract void write(ByteBuf out);

    /** The server answered. */
    abstract void answered(FlatReply answer);

    /** The server answered with an error. */
    abstract void refused(String error);

    /** There will be no answer; if it was written, the server may have executed it. */
    abstract void failed(Throwable cause, boolean written);

    /** Makes it ready to be sent once more, after an answer that says that it was not executed. */
    final void reset() {
        output = new FlatReply();
        state = NEW;
    }

    /** It leaves there. */
    final void leaves(Outlet through) {
        outlet = through;
    }

    /** Hands it over to Lettuce. */
    final void dispatch(Consumer<Call> channel) {
        try {
            channel.accept(this);
        } catch (RuntimeException e) {
            completeExceptionally(e);
        }
    }

    @Override
    public final void encode(ByteBuf out) {
        if (STATE.compareAndSet(this, NEW, WRITTEN) && outlet != null) { // from here on it may be executed
            outlet.written();
        }
        write(out);
    }

    @Override
    public final void complete() {
        connection.heard(this);
    }

    /** The answer counts. */
    @Override
    public final void use() {
        if (STATE.getAndSet(this, DONE) == DONE) {
            return;
        }
        Outlet through = outlet; // it may be sent again
        if (output.hasError()) {
            refused(output.getError());
        } else {
            answered(output);
        }
        if (through != null) {
            through.over();
        }
    }

    @Override
    public final boolean completeExceptionally(Throwable cause) {
        int before = STATE.getAndSet(this, DONE);
        if (before == DONE) {
            return false;
        }
        Outlet through = outlet;
        if (before == NEW && through != null) {
            through.unwritten();
        }
        failed(cause, before == WRITTEN);
        if (through != null) {
            through.over();
        }
        return true;
    }

    /** The answer came, and does not count: the server may have been replaced before it executed this. */
    @Override
    public final void drop(Throwable cause) {
        completeExceptionally(cause);
    }

    @Override
    public final void cancel() {
        completeExceptionally(new IllegalStateException("The connection was closed"));
    }

    @Override
    public final CommandOutput<byte[], byte[], @Nullable Void> getOutput() {
        return output;
    }

    @Override
    public final CommandArgs<byte[], byte[]> getArgs() {
        return new CommandArgs<>(ByteArrayCodec.INSTANCE);
    }

    @Override
    public final boolean isCancelled() {
        return false;
    }

    @Override
    public final boolean isDone() {
        return state == DONE;
    }

    @Override
    public final void setOutput(CommandOutput<byte[], byte[], @Nullable Void> other) {
        throw new UnsupportedOperationException();
    }
}
