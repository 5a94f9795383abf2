// SPDX-License-Identifier: Apache-2.0
package io.boltwork.machine.parts;

import io.boltwork.machine.LockMachine;
import io.boltwork.machine.request.LockTerms;
import io.boltwork.machine.request.Pending;
import io.boltwork.machine.request.RecoveryTally;
import io.boltwork.machine.request.Request;
import io.boltwork.machine.request.Request.State;
import io.boltwork.machine.request.Ticker;
import io.boltwork.machine.request.Waiter;
import io.boltwork.machine.state.Effects;
import io.boltwork.machine.state.LockOutage;
import io.boltwork.machine.state.LockState;
import io.boltwork.machine.state.ManyRequests;
import io.boltwork.spi.Command;
import io.boltwork.spi.Reply;
import io.boltwork.spi.rules.ServerClock;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * WANTED: asks for the lock until it is granted. Part of a {@link LockMachine}: sends {@code Acquire}. {@link Granting}
 * handles the answers.
 */
public final class Asking {

    /**
     * The time after which a queued request asks again in any case, because the message of its grant may have been
     * lost.
     */
    static final long SAFETY_POLL = TimeUnit.SECONDS.toNanos(5);

    private Asking() {}

    // ================================================================ sending

    /** Asks for the lock as soon as a command may be sent, in the order of these calls. A try is never delayed. */
    public static void ask(LockState lock, Request request) {
        if (request.tryOnly || lock.requests.admits(request)) {
            askNow(lock, request);
        } else if (lock.outage != LockOutage.NONE) {
            // the patience begins now, because no failure of the request itself will start it
            lock.outage = lock.outage.failed(lock.effects.now(), null);
        }
    }

    public static void askNow(LockState lock, Request request) {
        request.pending().askAgain = false;
        Command.Acquire acquire = acquire(lock, request);
        request.sent(acquire, lock.effects.now());
        lock.effects.send(acquire);
    }

    public static Command.Acquire acquire(LockState lock, Request request) {
        Effects effects = lock.effects;
        return acquire(request, effects.serverClock(), effects.now(), lock.commandTimeout());
    }

    /** Creates an acquire that is sent now, by itself or in a release. */
    public static Command.Acquire acquire(Request request, ServerClock clock, long now, long commandTimeout) {
        Pending open = request.pending();
        if (open.awaitedSince == Ticker.NEVER) { // the request may have waited in line until now
            open.firstSent = now;
        }
        open.unanswered++;
        long stale = request.notAfter(clock, now, commandTimeout);
        LockTerms terms = request.terms;
        Waiter waiter = request.waiter;
        request.reaches(now, terms.leaseMillis);
        return new Command.Acquire(
                request.lock(),
                request.id(),
                !request.tryOnly,
                terms.leaseMillis,
                terms.takeoverMillis,
                stale,
                request.share(),
                waiter == null || waiter.signalWait == null ? null : waiter.signalWait.atServer());
    }

    /** Does what is due for a request that is wanted. */
    public static void tick(LockState lock, Request request, long now) {
        if (request.isDue(now)) {
            askNow(lock, request);
        }
    }

    /** Asks again, because the connection was replaced. */
    static void connected(LockState lock, Request request, long now, RecoveryTally recovery) {
        request.connectionReplaced(now);
        if (!request.tryOnly) {
            recovery.askedAgain();
            ask(lock, request);
        }
    }

    /** Plans a poll by the oldest FIFO request, unless that request awaits an answer or has a time of its own. */
    public static void planPoll(LockState lock) {
        Request oldest = lock.waiters.oldest();
        if (oldest != null
                && lock.pollAt == Ticker.NEVER
                && !oldest.isAwaiting()
                && oldest.pending().dueAt == Ticker.NEVER) {
            lock.pollAt = lock.effects.now() + SAFETY_POLL;
        }
    }

    /** Lets the oldest FIFO request ask for all of them, if it is time. */
    public static void pollIfDue(LockState lock, long now) {
        if (now >= lock.pollAt) {
            lock.pollAt = Ticker.NEVER;
            Request oldest = lock.waiters.oldest();
            if (oldest != null && !oldest.isAwaiting()) {
                askNow(lock, oldest);
            }
        }
    }

    /**
     * Lets other requests ask again, because the server has forgotten one that it knew. Either a claim of this client
     * has lapsed, which removes the client's other requests, or the server has lost all data.
     */
    static void askOthers(LockState lock, Request forgotten) {
        if (lock.waiters.isEmpty()) {
            return;
        }
        ManyRequests many = lock.requests.many();
        if (many != null) {
            many.askOthers(forgotten, lock.effects.now());
            return;
        }
        for (Request other : lock.requests.all()) {
            if (other != forgotten && other.state == State.WANTED && other.queuedAtServer) {
                other.queuedAtServer = false;
                if (!other.isAwaiting()) {
                    ask(lock, other);
                } else {
                    other.pending().askAgain = true;
                }
            }
        }
    }

    /** Lets a request that waits ask, because the answer may be another now. */
    public static void askAgain(LockState lock, @Nullable Request request) {
        if (request == null || request.state != State.WANTED) {
            return;
        }
        if (request.isAwaiting()) {
            request.pending().askAgain = true; // the answer may be older than the message
        } else {
            askNow(lock, request);
        }
    }

    /** Returns whether the answer says that the request is in the queue. */
    static boolean waits(Command.Acquire acquire, Reply.Acquired answer) {
        return answer.verdict() == Reply.Verdict.QUEUED || answer.verdict() == Reply.Verdict.AGAIN && acquire.queue();
    }
}
