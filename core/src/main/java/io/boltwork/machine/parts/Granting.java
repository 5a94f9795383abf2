// SPDX-License-Identifier: Apache-2.0
package io.boltwork.machine.parts;

import static io.boltwork.spi.rules.LeaseTimes.MILLI;

import io.boltwork.BackendException;
import io.boltwork.PermitsExceededException;
import io.boltwork.Replication;
import io.boltwork.machine.LockMachine;
import io.boltwork.machine.request.Hold;
import io.boltwork.machine.request.LockTerms;
import io.boltwork.machine.request.Pending;
import io.boltwork.machine.request.Request;
import io.boltwork.machine.request.Request.State;
import io.boltwork.machine.request.Ticker;
import io.boltwork.machine.request.Waiter;
import io.boltwork.machine.request.Waiter.Denied;
import io.boltwork.machine.state.Effects;
import io.boltwork.machine.state.LockOutage;
import io.boltwork.machine.state.LockState;
import io.boltwork.spi.Command;
import io.boltwork.spi.Grant;
import io.boltwork.spi.Reply;
import io.boltwork.spi.ServerTime;
import io.boltwork.spi.rules.LeaseTimes;
import org.jspecify.annotations.Nullable;

/**
 * WANTED: handles what the backend says about a request for the lock, and begins the hold. Part of a {@link
 * LockMachine}: sends {@code Replicate}, and handles the answers to it and to {@code Acquire}, and the grants by
 * message.
 */
public final class Granting {

    /** Replaces the time at which an acquire was sent if the grant came by message. */
    private static final long BY_MESSAGE = Long.MIN_VALUE;

    private Granting() {}

    // ================================================================ answers to Acquire

    /**
     * Takes the lock or waits for it, as the answer to an acquire says.
     *
     * @param command the command that carried the acquire: the acquire itself, or a release
     */
    static void acquired(
            LockState lock, Command<?> command, Command.Acquire acquire, long sent, Reply.Acquired answer) {
        Request request = lock.find(acquire.request());
        if (request == null) {
            if (answer.verdict() == Reply.Verdict.GRANTED
                    || answer.verdict() == Reply.Verdict.WAITING
                    || Asking.waits(acquire, answer)) {
                Withdrawing.stray(lock, acquire.request());
            }
            return;
        }
        boolean stands = answer.verdict() == Reply.Verdict.GRANTED || Asking.waits(acquire, answer);
        if (stands || answer.verdict() == Reply.Verdict.WAITING) {
            request.known = true; // first: an error may cut short the rest, and then the request must be withdrawn
        }
        request.acquireEnded();
        request.answeredTo(command);
        // a request that was in the queue is unknown; or a newcomer was granted the lock, so no request was in the
        // queue
        boolean forgotten = !answer.known() && (request.queuedAtServer || answer.verdict() == Reply.Verdict.GRANTED);
        request.queuedAtServer = stands;
        if (forgotten) {
            Asking.askOthers(lock, request);
        }
        lock.kind.heard(lock, answer);
        Awaiting.answered(lock, request, answer);
        switch (answer.verdict()) {
            case GRANTED -> {
                if (request.part != null) {
                    request.part.granted(answer.token(), answer.share().blockEnd());
                    Withdrawing.nudgeAfter(lock, answer.remainingMillis()); // if there is more to do
                }
                owns(lock, request, sent + LeaseTimes.safe(acquire.leaseMillis(), 0), answer.token(), sent);
            }
            case QUEUED -> queued(lock, request, sent, answer);
            case AGAIN -> again(lock, request, acquire, sent, answer);
            case REFUSED -> refused(lock, request);
            case WAITING -> Awaiting.waits(lock, request, sent, answer);
            case TOO_LARGE -> tooLarge(lock, request, answer.share().capacity());
            case STALE -> {
                if (request.state == State.WANTED && !request.isAwaiting()) {
                    askSoon(lock, request, sent);
                }
            }
        }
    }

    private static void queued(LockState lock, Request request, long sent, Reply.Acquired answer) {
        if (request.state == State.WITHDRAWING) {
            Withdrawing.again(lock, request);
        } else if (request.state == State.WANTED) {
            lock.refusals++;
            lock.countUse();
            standsInQueue(lock, request, sent, answer);
        }
    }

    private static void again(
            LockState lock, Request request, Command.Acquire acquire, long sent, Reply.Acquired answer) {
        if (request.state == State.WITHDRAWING && Asking.waits(acquire, answer)) {
            Withdrawing.again(lock, request);
        } else if (request.state == State.WANTED && !request.tryOnly) {
            request.pending().askAgain = true;
            standsInQueue(lock, request, sent, answer);
        } else if (request.state == State.WANTED && !request.isAwaiting()) {
            Asking.ask(lock, request);
        }
    }

    private static void refused(LockState lock, Request request) {
        if (request.state == State.WANTED && request.tryOnly) {
            Waiting.refuse(lock, request, Denied.REFUSED);
        } else if (request.state == State.WANTED) {
            lock.refusals++;
            if (!request.isAwaiting()) {
                Asking.ask(lock, request); // the backend is prepared for its grant now
            }
        }
    }

    private static void tooLarge(LockState lock, Request request, int capacity) {
        request.known = false;
        if (request.state == State.WANTED) {
            PermitsExceededException cause =
                    new PermitsExceededException(lock.effects.lock(), request.terms.permits, capacity);
            Waiting.refuse(lock, request, new Waiter.Failed(cause));
            lock.kind.refuseAll(lock, request.terms, new Waiter.Failed(cause));
        }
    }

    /**
     * Asks at once, because this very answer has corrected the estimate of the server's clock. Pauses before asking
     * after further answers of this kind, unless the answer was under way for long.
     */
    private static void askSoon(LockState lock, Request request, long sent) {
        long now = lock.effects.now();
        boolean late = now - sent >= lock.commandTimeout() / 2; // delayed by an outage that is over
        Pending pending = request.pending();
        pending.dueAt = now + (late || pending.failures == 0 ? 0 : Retrying.delay(lock, pending));
        pending.failures++;
    }

    private static void standsInQueue(LockState lock, Request request, long sent, Reply.Acquired answer) {
        long now = lock.effects.now();
        request.known = true;
        Pending pending = request.pending();
        pending.knownTo(answer.server(), sent);
        if (pending.awaited != null) {
            return;
        }
        if (pending.askAgain) {
            Asking.ask(lock, request);
            return;
        }
        // asks again when the lease that the request was told of ends; the first in the queue asks first
        long stagger = 1 + Math.min(answer.position() - 1, 100) * 2L;
        long at = Math.min(now + Asking.SAFETY_POLL, now + (answer.remainingMillis() + stagger) * MILLI);
        if (request.tryOnly) {
            pending.dueAt = now + lock.effects.timing().recallWait();
        } else if (!lock.waiters.isPolledFor(request)) {
            pending.dueAt = at;
        } else {
            lock.pollAt = request == lock.waiters.oldest() ? at : Math.min(lock.pollAt, at);
        }
    }

    // ================================================================ the acquire that a release carries

    /**
     * Applies the answer to the acquire that a release carried, if there was one. Plans a nudge if the release has
     * caused a grant that concerns no request of this client.
     */
    static void nextAnswered(LockState lock, Command.Release release, long sent, Reply.Released answer) {
        Command.Acquire acquire = release.next();
        Reply.Acquired next = answer.next();
        if (acquire != null && next != null) {
            acquired(lock, release, acquire, sent, next);
        } else if (acquire != null) {
            notEntered(lock, release, acquire);
        }
        if (acquire == null || next == null || acquire.condition() != null || !Asking.waits(acquire, next)) {
            Withdrawing.nudgeAfter(lock, answer.claimMillis());
        }
    }

    private static void notEntered(LockState lock, Command.Release release, Command.Acquire acquire) {
        Request next = lock.find(acquire.request());
        if (next != null) {
            next.acquireEnded();
            next.answeredTo(release);
            if (next.state == State.WANTED && !next.isAwaiting()) {
                Asking.ask(lock, next);
            }
        }
    }

    /** Retries or refuses the acquire that a failed release carried, if there was one. */
    static void nextFailed(LockState lock, Command.Release release, Reply.Failed failed) {
        Command.Acquire acquire = release.next();
        if (acquire != null) {
            acquireFailed(lock, release, acquire, failed);
        }
    }

    // ================================================================ no answer

    /**
     * Retries or refuses a failed acquire.
     *
     * @param command the command that carried the acquire: the acquire itself, or a release
     */
    static void acquireFailed(LockState lock, Command<?> command, Command.Acquire acquire, Reply.Failed failed) {
        Request request = lock.find(acquire.request());
        if (request != null && !failed.executed()) {
            request.acquireEnded();
        }
        failed(lock, request, command, failed);
    }

    /** Retries or refuses a failed replicate. */
    static void replicateFailed(LockState lock, Command.Replicate replicate, Reply.Failed failed) {
        failed(lock, lock.find(replicate.item().request()), replicate, failed);
    }

    private static void failed(LockState lock, @Nullable Request request, Command<?> command, Reply.Failed failed) {
        if (request == null) {
            return;
        }
        boolean current = request.isAwaiting(command);
        Retrying.retryLater(lock, request, command);
        if (request.state != State.WANTED) {
            return;
        }
        if (!failed.cause().isRetryable()) {
            Awaiting.wakeAll(lock);
            Waiting.failAll(lock, LockOutage.refused(lock.effects.lock(), failed.cause()));
        } else if (request.tryOnly && current) {
            Waiting.refuse(lock, request, new Waiter.Failed(LockOutage.refused(lock.effects.lock(), failed.cause())));
        }
    }

    // ================================================================ grants

    /** Takes the lock that was granted by message. */
    public static void granted(LockState lock, Request request, Grant grant, long now) {
        request.known = true;
        request.queuedAtServer = true;
        Awaiting.granted(request, grant);
        if (request.part != null) {
            request.part.granted(grant.token(), grant.blockEnd());
        }
        if (request.state != State.WANTED) {
            owns(lock, request, Long.MIN_VALUE, grant.token(), BY_MESSAGE);
            return;
        }
        Effects effects = lock.effects;
        Pending pending = request.pending();
        ServerTime answered = pending.answered;
        long origin = pending.firstSent;
        long given = origin;
        if (answered != null) {
            origin = pending.answeredSent;
            given = origin + (grant.server().millis() - answered.millis()) * MILLI;
        }
        if (origin != Ticker.NEVER) {
            given -= effects.missedSince(origin);
        }
        boolean comparable = answered == null
                ? origin != Ticker.NEVER
                : answered.run().equals(grant.server().run());
        boolean current = grant.server().run().equals(effects.serverClock().run());
        pending.claimMillis = grant.leaseMillis();
        if (comparable && current) {
            long from = Math.min(given, now);
            long until = from + LeaseTimes.safe(grant.leaseMillis(), from - origin);
            owns(lock, request, until, grant.token(), BY_MESSAGE);
        } else {
            Asking.askNow(lock, request); // of another server, or of one that was replaced since: confirm it first
        }
    }

    /**
     * Makes a hold of a request that owns the lock in the backend, at least until the given time.
     *
     * @param sent the time at which the command was sent whose answer says so, and so confirms the whole lease; or
     *     {@link #BY_MESSAGE}
     */
    private static void owns(LockState lock, Request request, long until, long token, long sent) {
        boolean confirmed = sent != BY_MESSAGE;
        long deadline = confirmed ? until - lock.effects.missedSince(sent) : until;
        switch (request.state) {
            case WANTED -> {
                boolean outdated = lock.kind.isExclusive(request) && isOutdated(lock, token, sent);
                if (lock.closed) {
                    Waiting.refuse(lock, request, new Waiter.Failed(lock.closed("cannot be acquired")));
                } else if (outdated || !request.suffices(deadline, lock.effects.now(), confirmed)) {
                    // older than the present hold, too late, or too short to count: neither a hold nor a loss
                    Asking.askNow(lock, request);
                } else if (needsReplicas(request, token)) {
                    replicate(lock, request, token);
                } else {
                    beginHold(lock, request, deadline, token, confirmed);
                }
            }
            case HELD -> Renewing.grantedAgain(lock, request, deadline, token, confirmed, sent);
            case WITHDRAWING -> Withdrawing.again(lock, request);
            case RELEASING -> Releasing.grantedAgain(request, token);
            case LOST -> {} // its release comes when the owner has unwound
        }
    }

    /** Returns whether a grant is older than the hold here, or than the lease that is retained. */
    private static boolean isOutdated(LockState lock, long token, long sent) {
        Hold hold = lock.hold;
        Request leased = lock.leased();
        return leased != null && token < leased.firstToken && sent <= (hold == null ? leased.began : hold.since);
    }

    private static void beginHold(LockState lock, Request request, long deadline, long token, boolean confirmed) {
        Waiter waiter = lock.waiters.of(request);
        if (lock.kind.isExclusive(request)) {
            Renewing.displace(lock);
        }
        long now = lock.effects.now();
        request.startHold(deadline, token, confirmed, now);
        lock.kind.wantsNoLonger(lock, request);
        lock.refusals++;
        Waiting.occupy(lock, request, waiter, now);
        if (!confirmed) {
            Renewing.renewIfDue(lock, request, now); // at once if the claim is short
        }
    }

    // ================================================================ replicas

    /** Returns whether replicas are required that have not confirmed the grant of that token. */
    private static boolean needsReplicas(Request request, long token) {
        return request.terms.options.replication().isPresent() && request.pending().replicated != token;
    }

    /** Returns whether replicas are being asked about that grant. */
    private static boolean isReplicating(Request request, long token) {
        return request.pending().awaited instanceof Command.Replicate replicate
                && replicate.item().firstToken() == token;
    }

    private static void replicate(LockState lock, Request request, long token) {
        Replication wanted = request.terms.options.replication().orElse(null);
        if (wanted != null && !isReplicating(request, token)) {
            long now = lock.effects.now();
            LockTerms terms = request.terms;
            request.prolongs(now, terms.leaseMillis);
            Command.Renew.Item item = new Command.Renew.Item(
                    request.lock(), request.id(), token, terms.leaseMillis, terms.takeoverMillis, request.share());
            long stale = request.notAfter(lock.effects.serverClock(), now, lock.commandTimeout());
            int copies = wanted.onDisk() ? 1 : wanted.replicas();
            Command.Replicate replicate = new Command.Replicate(
                    item, copies, wanted.onDisk(), wanted.within().toMillis(), stale);
            request.sent(replicate, now);
            lock.effects.send(replicate);
        }
    }

    /** Counts the lock as acquired if enough replicas have it. Otherwise, refuses the request or asks again. */
    static void replicated(LockState lock, Command.Replicate replicate, long sent, Reply.Replicated answer) {
        Command.Renew.Item item = replicate.item();
        Request request = lock.find(item.request());
        if (request == null || !request.answeredTo(replicate) || request.state != State.WANTED) {
            return; // the request is no longer wanted, or has asked again
        }
        if (!answer.outcome().isHeld()) { // the request is no longer the owner, or its command came too late
            askSoon(lock, request, sent);
        } else if (answer.copies() < replicate.copies()) {
            BackendException cause = LockOutage.refused(lock.effects.lock(), tooFew(replicate, answer));
            Waiting.refuse(lock, request, new Waiter.Failed(cause));
        } else {
            request.pending().replicated = item.firstToken();
            owns(lock, request, sent + LeaseTimes.safe(item.leaseMillis(), 0), item.firstToken(), sent);
        }
    }

    private static BackendException tooFew(Command.Replicate wanted, Reply.Replicated answer) {
        String problem = wanted.onDisk()
                ? "The server's disk has not confirmed the lock within the " + wanted.withinMillis()
                        + " ms that Replication.onDisk allows"
                : "Only " + answer.copies() + " of the " + wanted.copies()
                        + " replicas that Replication.atLeast asks for have confirmed the lock within "
                        + wanted.withinMillis() + " ms";
        return new BackendException(problem, true, null);
    }
}
