package io.boltwork.redis;

import io.boltwork.BackendException;
import io.boltwork.spi.Command;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Reply.Acquired;
import io.boltwork.spi.Reply.Verdict;
import io.boltwork.spi.ServerTime;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A client's command under way as a script, and who waits for its reply. */
abstract class CommandCall extends ScriptCall {
    /** What the scripts call an owner that no request equals, while a released lock is kept closed. */
    private static final String KEPT = "-";

    /** A lease and its takeover delay last for two years at most. */
    private static final long LONGEST_WAIT = Duration.ofDays(3 * 365).toMillis();

    private final Consumer<Reply> handler;

    /** What to redirect, and who takes the reply then. */
    private Command<?> wish;

    private Consumer<Reply> wisher;

    /** In a cluster, of the lock that it is about. */
    private int slot;

    /** How often it was redirected. */
    private int hops;

    CommandCall(
            ServerConnection connection,
            Command<?> command,
            Consumer<Reply> handler,
            Script script,
            int keys,
            int arguments) {
        super(connection, script, keys, arguments);
        this.handler = handler;
        this.wish = command;
        this.wisher = handler;
    }

    /** It is on its way to a slot of a cluster. */
    final CommandCall to(int itsSlot, int redirections) {
        slot = itsSlot;
        hops = redirections;
        return this;
    }

    /** If it has to be redirected it is to be this. */
    final CommandCall insteadOf(Command<?> other, Consumer<Reply> itsHandler) {
        wish = other;
        wisher = itsHandler;
        return this;
    }

    /** What scripts are told for their messages. */
    final String mark() {
        return connection.mark(slot);
    }

    /** What the server's answer means. */
    abstract Reply read(FlatReply answer);

    /** Which lock or locks it is about, for messages. */
    abstract String about();

    /** What {@code group.lua} calls it, empty if that does not know it. */
    String inGroup() {
        return "";
    }

    @Override
    final void answered(FlatReply answer) {
        Reply reply;
        try {
            reply = read(answer);
        } catch (RuntimeException e) {
            reply = connection.errors().unexpected(e, about());
        }
        handler.accept(reply);
    }

    @Override
    final void rejected(String error) {
        if (!connection.redirector().redirected(connection, wish, slot, hops, error, wisher)) {
            handler.accept(connection.refused(error, about()));
        }
    }

    @Override
    final void failed(Throwable cause, boolean written) {
        BackendException lost = connection.errors().lost(cause, written, about());
        handler.accept(new Reply.Failed(written, lost));
    }

    final ServerTime time(long millis) {
        return new ServerTime(millis, connection.run());
    }

    /** Who owns the lock: a request, or {@code null}. */
    static @Nullable String owner(@Nullable String field) {
        return field == null || field.isEmpty() || field.equals(KEPT) ? null : field;
    }

    /** The answer to a request for a lock, from an index of the reply on: code, known, number, position. */
    static Acquired acquired(FlatReply answer, int index, ServerTime server, @Nullable String owner) {
        Verdict verdict = ReplyCode.of(answer.number(index)).verdict();
        boolean known = answer.number(index + 1) == 1;
        long number = answer.number(index + 2);
        if (verdict == Verdict.GRANTED ? number <= 0 : number < 0 || number > LONGEST_WAIT) {
            throw new IllegalStateException(
                    verdict + " with " + (verdict == Verdict.GRANTED ? "the token " : "a wait of ms: ") + number);
        }
        return switch (verdict) {
            case GRANTED -> new Acquired(server, verdict, number, 0, 0, known, owner);
            case QUEUED, AGAIN ->
                new Acquired(server, verdict, 0, number, Math.toIntExact(answer.number(index + 3)), known, owner);
            case REFUSED, STALE -> new Acquired(server, verdict, 0, number, 0, known, owner);
        };
    }
}
