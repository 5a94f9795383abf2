package io.boltwork;

import io.boltwork.spi.Command;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.ServerTime;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One wish for a lock at the backend, from the first acquire to the last withdrawal. Belongs to its {@link LockMachine}; only
 * the deadline is read by others. Times are the client's, in nanoseconds, unless they are called server times.
 */
final class Request {

    /** 1 % of the span for clocks of different rates, and 2 ms for times in whole milliseconds. */
    private static final int DRIFT_PART = 100;

    private static final long ROUNDING = TimeUnit.MILLISECONDS.toNanos(2);

    /** Where a request stands. docs/synchronization.md draws the ways between. */
    enum State {
        /** Asks for the lock and waits for it. */
        WANTED,
        /** Owns the lock. */
        HELD,
        /** Owned the lock; its owner here has not unwound yet. */
        LOST,
        /** Gives the lock back and waits for the answer. */
        RELEASING,
        /** Nobody wants it; it is being withdrawn. */
        UNDOING
    }

    final String lock;
    final String id;
    final LockOptions options;
    final boolean tryOnly;

    State state;

    /** The command whose answer is awaited, and when it was sent. */
    @Nullable
    Command awaited;

    long awaitedSince;

    /** How often in a row there was no answer. */
    int failures;

    // ---- asking

    /** When the first acquire was sent; {@link Ticker#NEVER} once a connection was replaced before there was an answer. */
    long firstSent;

    /** When the acquire was sent that was answered last, and the server's time in that answer. */
    long answeredSent;

    @Nullable
    ServerTime answered;

    /** When to ask again, or to send again what was not answered. */
    long dueAt = Ticker.NEVER;

    /** The server has said that it knows the request. */
    boolean known;

    /** Acquires that were written and not answered: their bytes may still run. */
    int unanswered;

    /** The latest not-after: server time, the server run it belongs to, and local time (never earlier). */
    long notAfter;

    String notAfterRun = "";
    long notAfterHere;

    /** When something was last written that can make the request an owner. */
    long written;

    // ---- holding

    /** When the lease counts as lost; {@link Ticker#NEVER} until it is held. Moves forward only. */
    volatile long deadline = Ticker.NEVER;

    long firstToken;
    long lastToken;

    /** Whether the server has answered for the whole lease, and on this connection; else it is asked soon. */
    boolean confirmed;

    /** When the lease is to be renewed. */
    long renewAt;

    /** When a fixed lease ends at the server at the earliest; {@link Ticker#NEVER} for a renewed one. */
    long fixedEnd = Ticker.NEVER;

    /** When the renewal was sent that has not been answered; {@link Ticker#NEVER} if there is none. */
    long renewing = Ticker.NEVER;

    /** Renewals that were sent since the last answer. */
    int renewals;

    /** Until when it may be handed over inside the client. */
    long sliceEnd;

    // ---- ending

    /** Who gave it back. */
    @Nullable
    Hold releaser;

    /** How often the release was sent. */
    int releases;

    /** When nothing of it can be left at the server. */
    long giveUpAt = Ticker.NEVER;

    /** Granted or queued again while a withdrawal was under way. */
    boolean withdrawAgain;

    Request(String lock, String id, LockOptions options, boolean tryOnly, State state) {
        this.lock = lock;
        this.id = id;
        this.options = options;
        this.tryOnly = tryOnly;
        this.state = state;
    }

    // ================================================================ sending and hearing

    void sent(Command command, long now) {
        awaited = command;
        awaitedSince = now;
        dueAt = Ticker.NEVER;
    }

    /** Whether that is the command whose answer was awaited; it is not any more. */
    boolean answeredTo(Command command) {
        boolean current = awaited == command;
        if (current) {
            awaited = null;
        }
        return current;
    }

    boolean isOverdue(long now, long commandTimeout) {
        return awaited != null && now - awaitedSince >= commandTimeout;
    }

    /** Whether what was not answered, or comes later, is to be sent now. */
    boolean isDue(long now) {
        return awaited == null && now >= dueAt;
    }

    Command.Acquire acquire(ServerClock clock, long now, long commandTimeout) {
        unanswered++;
        long stale = notAfter(clock, now, commandTimeout);
        return new Command.Acquire(lock, id, !tryOnly, options.leaseMillis(), 0, stale);
    }

    Command.Renew.Item renewal(long now) {
        renewing = now;
        renewals++;
        written = now;
        return new Command.Renew.Item(lock, id, firstToken, leaseToSend(now), 0);
    }

    Command.Restore restore(ServerClock clock, long now, long commandTimeout) {
        renewing = now;
        long stale = notAfter(clock, now, commandTimeout);
        return new Command.Restore(lock, id, firstToken, leaseToSend(now), 0, stale);
    }

    /** The server time after which what is sent now must not have effect. */
    private long notAfter(ServerClock clock, long now, long commandTimeout) {
        long millis = Math.min(TimeUnit.NANOSECONDS.toMillis(commandTimeout), options.leaseMillis());
        long stale = clock.millisAt(now) + millis;
        notAfter = clock.run().equals(notAfterRun) ? Math.max(notAfter, stale) : stale;
        notAfterRun = clock.run();
        notAfterHere = now + TimeUnit.MILLISECONDS.toNanos(millis);
        written = now;
        return stale;
    }

    /** The whole lease, or what is left of a fixed one. */
    private long leaseToSend(long now) {
        return fixedEnd == Ticker.NEVER
                ? options.leaseMillis()
                : Math.max(1, TimeUnit.NANOSECONDS.toMillis(fixedEnd - now));
    }

    /** Whether bytes of an acquire may still run at that server, at that time of its clock. */
    boolean isTainted(ServerTime server) {
        return unanswered > 0 && server.run().equals(notAfterRun) && server.millis() <= notAfter;
    }

    /** When nothing that was written can make it an owner, or keep it one. */
    long nothingLeft(long now, long commandTimeout) {
        return Math.max(now, written) + commandTimeout + leaseNanos();
    }

    // ================================================================ holding

    /** It is the owner at the server. {@code confirmed}: for the whole lease, not for a claim. */
    void begin(long until, long token, boolean forWholeLease, long slicedUntil) {
        state = State.HELD;
        awaited = null;
        failures = 0;
        deadline = until;
        firstToken = token;
        lastToken = token;
        sliceEnd = slicedUntil;
        long whole = leaseNanos();
        long granted = forWholeLease ? whole : Math.min(whole, TimeUnit.MILLISECONDS.toNanos(LockBackend.CLAIM_MILLIS));
        confirmed = forWholeLease;
        renewAt = until - granted + granted / 3;
        if (!options.isRenewed()) {
            fixedEnd = until - granted + whole;
            if (granted == whole) {
                confirmed = true;
                renewAt = Ticker.NEVER;
            }
        }
    }

    /** The server has prolonged the lease. */
    void prolonged(long sent, long leaseMillis) {
        renewals = 0;
        confirmed = true;
        deadline = Math.max(deadline, sent + safe(leaseMillis, 0));
        renewAt = fixedEnd == Ticker.NEVER ? sent + leaseNanos() / 3 : Ticker.NEVER;
    }

    /** The server has to be asked whether it still knows the lease. */
    void verify(long now) {
        renewAt = now;
        renewing = Ticker.NEVER;
        confirmed = false;
    }

    boolean isRenewalDue(long now, long commandTimeout) {
        return now >= renewAt && (renewing == Ticker.NEVER || now - renewing >= renewalPatience(commandTimeout));
    }

    /** A renewal that was not answered for so long is sent again. */
    private long renewalPatience(long commandTimeout) {
        return Math.min(commandTimeout, leaseNanos() / 9);
    }

    private long leaseNanos() {
        return TimeUnit.MILLISECONDS.toNanos(options.leaseMillis());
    }

    /** How much of a lease counts here, if the server's clock and this one may differ in rate, and round. */
    static long safe(long leaseMillis, long elapsed) {
        long nanos = TimeUnit.MILLISECONDS.toNanos(leaseMillis);
        return nanos - (nanos + Math.max(0, elapsed)) / DRIFT_PART - ROUNDING;
    }

    // ================================================================ waking

    /** When something has to be done about it. */
    long wakeAt(long commandTimeout) {
        long retry = awaited == null ? dueAt : awaitedSince + commandTimeout;
        return switch (state) {
            case WANTED -> retry;
            case HELD -> wakeForLease(commandTimeout);
            case LOST -> giveUpAt;
            case RELEASING, UNDOING -> Math.min(giveUpAt, retry);
        };
    }

    /** A renewed lease is the keeper's; one that is not confirmed, not answered for, or not renewed has times of its own. */
    private long wakeForLease(long commandTimeout) {
        if (!confirmed) {
            long renew =
                    renewing == Ticker.NEVER ? renewAt : Math.max(renewAt, renewing + renewalPatience(commandTimeout));
            return Math.min(renew, deadline);
        }
        return renewAt == Ticker.NEVER || renewals > 1 ? deadline : Ticker.NEVER;
    }

    boolean serves(Waiter waiter) {
        return tryOnly == waiter.tryOnly && options.equals(waiter.options);
    }

    @Override
    public String toString() {
        return id + " " + state;
    }
}
