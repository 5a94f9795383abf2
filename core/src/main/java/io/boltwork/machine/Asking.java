package io.boltwork.machine;

import static io.boltwork.machine.LeaseTimes.MILLI;

import io.boltwork.BackendException;
import io.boltwork.Replication;
import io.boltwork.machine.Request.State;
import io.boltwork.machine.Waiter.Denied;
import io.boltwork.spi.Command;
import io.boltwork.spi.Grant;
import io.boltwork.spi.Reply;
import io.boltwork.spi.ServerTime;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * WANTED: asks for the lock until it is granted. Part of a {@link LockMachine}: handles the answers to {@code Acquire}
 * and {@code Replicate}, and the grants by message.
 */
final class Asking {

    /** After this time a queued request asks again in any case, because the message of its grant may have been lost. */
    private static final long SAFETY_POLL = TimeUnit.SECONDS.toNanos(5);

    /** Replaces the time at which an acquire was sent if the grant came by message. */
    private static final long BY_MESSAGE = Long.MIN_VALUE;

    private Asking() {}

    // ================================================================ sending

    /** Asks as soon as a command may be sent, in the order of these calls. A try does not wait. */
    static void ask(LockMachine machine, Request request) {
        if (request.tryOnly || machine.requests.admits(request)) {
            askNow(machine, request);
        } else if (machine.outage != LockOutage.NONE) {
            // the patience begins now, because no failure of this request's own will begin it
            machine.outage = machine.outage.failed(machine.effects.now(), null);
        }
    }

    static void askNow(LockMachine machine, Request request) {
        request.pending().askAgain = false;
        Command.Acquire acquire = acquire(machine, request);
        request.sent(acquire, machine.effects.now());
        machine.effects.send(acquire);
    }

    static Command.Acquire acquire(LockMachine machine, Request request) {
        Effects effects = machine.effects;
        return acquire(request, effects.serverClock(), effects.now(), machine.commandTimeout());
    }

    /** Makes an acquire that is sent now, by itself or in a release. */
    static Command.Acquire acquire(Request request, ServerClock clock, long now, long commandTimeout) {
        Pending open = request.pending();
        if (open.awaitedSince == Ticker.NEVER) { // it may have waited in line until now
            open.firstSent = now;
        }
        open.unanswered++;
        long stale = request.notAfter(clock, now, commandTimeout);
        LockTerms terms = request.terms;
        request.reaches(now, terms.leaseMillis);
        return new Command.Acquire(
                request.lock(), request.id(), !request.tryOnly, terms.leaseMillis, terms.takeoverMillis, stale);
    }

    /** Does what is due for a request that is wanted. */
    static void tick(LockMachine machine, Request request, long now) {
        if (request.isDue(now)) {
            askNow(machine, request);
        }
    }

    /** Asks again, because the connection was replaced. */
    static void connected(LockMachine machine, Request request, long now, RecoveryTally recovery) {
        request.connectionReplaced(now);
        if (!request.tryOnly) {
            recovery.askedAgain();
            ask(machine, request);
        }
    }

    /** Plans a poll of the oldest FIFO request, unless it awaits an answer or has a time of its own. */
    static void planPoll(LockMachine machine) {
        Request oldest = machine.waiters.oldest();
        if (oldest != null
                && machine.pollAt == Ticker.NEVER
                && !oldest.isAwaiting()
                && oldest.pending().dueAt == Ticker.NEVER) {
            machine.pollAt = machine.effects.now() + SAFETY_POLL;
        }
    }

    /** Lets the oldest FIFO request ask for all of them, if it is time. */
    static void pollIfDue(LockMachine machine, long now) {
        if (now >= machine.pollAt) {
            machine.pollAt = Ticker.NEVER;
            Request oldest = machine.waiters.oldest();
            if (oldest != null && !oldest.isAwaiting()) {
                askNow(machine, oldest);
            }
        }
    }

    /**
     * Lets other requests ask again, because the server has forgotten one that it knew. A claim of this client may have
     * lapsed, which removes the client's other requests, or all data is lost.
     */
    static void askOthers(LockMachine machine, Request forgotten) {
        if (machine.waiters.isEmpty()) {
            return;
        }
        ManyRequests many = machine.requests.many();
        if (many != null) {
            many.askOthers(forgotten, machine.effects.now());
            return;
        }
        for (Request other : machine.requests.all()) {
            if (other != forgotten && other.state == State.WANTED && other.standing) {
                other.standing = false;
                if (!other.isAwaiting()) {
                    ask(machine, other);
                } else {
                    other.pending().askAgain = true;
                }
            }
        }
    }

    // ================================================================ answers to Acquire

    /**
     * Handles the answer to an acquire.
     *
     * @param command the command that carried the acquire: the acquire itself, or a release
     */
    static void acquired(
            LockMachine machine, Command<?> command, Command.Acquire acquire, long sent, Reply.Acquired answer) {
        Request request = machine.find(acquire.request());
        if (request == null) {
            if (answer.verdict() == Reply.Verdict.GRANTED || waits(acquire, answer)) {
                machine.stray(acquire.request());
            }
            return;
        }
        request.acquireEnded();
        request.answeredTo(command);
        // a request that stood in the queue is unknown; or a newcomer was granted, so no request stood in the queue
        boolean forgotten = !answer.known() && (request.standing || answer.verdict() == Reply.Verdict.GRANTED);
        request.standing = answer.verdict() == Reply.Verdict.GRANTED || waits(acquire, answer);
        if (forgotten) {
            askOthers(machine, request);
        }
        switch (answer.verdict()) {
            case GRANTED -> {
                request.known = true;
                owns(machine, request, sent + LeaseTimes.safe(acquire.leaseMillis(), 0), answer.token(), sent);
            }
            case QUEUED -> queued(machine, request, sent, answer);
            case AGAIN -> again(machine, request, acquire, sent, answer);
            case REFUSED -> refused(machine, request);
            case STALE -> {
                if (request.state == State.WANTED && !request.isAwaiting()) {
                    askSoon(machine, request, sent);
                }
            }
        }
    }

    /** Returns whether the answer says that the request stands in the queue. */
    static boolean waits(Command.Acquire acquire, Reply.Acquired answer) {
        return answer.verdict() == Reply.Verdict.QUEUED || answer.verdict() == Reply.Verdict.AGAIN && acquire.queue();
    }

    private static void queued(LockMachine machine, Request request, long sent, Reply.Acquired answer) {
        if (request.state == State.UNDOING) {
            machine.withdrawing().again(request);
        } else if (request.state == State.WANTED) {
            machine.refusals++;
            standsInQueue(machine, request, sent, answer);
        }
    }

    private static void again(
            LockMachine machine, Request request, Command.Acquire acquire, long sent, Reply.Acquired answer) {
        if (request.state == State.UNDOING && waits(acquire, answer)) {
            machine.withdrawing().again(request);
        } else if (request.state == State.WANTED && !request.tryOnly) {
            request.pending().askAgain = true;
            standsInQueue(machine, request, sent, answer);
        } else if (request.state == State.WANTED && !request.isAwaiting()) {
            ask(machine, request);
        }
    }

    private static void refused(LockMachine machine, Request request) {
        if (request.state == State.WANTED && request.tryOnly) {
            Waiting.refuse(machine, request, Denied.REFUSED);
        } else if (request.state == State.WANTED) {
            machine.refusals++;
            if (!request.isAwaiting()) {
                ask(machine, request); // the backend is prepared for its grant now
            }
        }
    }

    /**
     * Asks at once, because this very answer has corrected the estimate of the server's clock. Asks with pauses after
     * further answers of this kind, unless the answer was under way for long.
     */
    private static void askSoon(LockMachine machine, Request request, long sent) {
        long now = machine.effects.now();
        boolean late = now - sent >= machine.commandTimeout() / 2; // behind an outage, which is over
        Pending pending = request.pending();
        pending.dueAt = now + (late || pending.failures == 0 ? 0 : Retrying.delay(machine, pending));
        pending.failures++;
    }

    private static void standsInQueue(LockMachine machine, Request request, long sent, Reply.Acquired answer) {
        long now = machine.effects.now();
        request.known = true;
        Pending pending = request.pending();
        pending.failures = 0;
        if (pending.answered == null || sent >= pending.answeredSent) {
            pending.answeredSent = sent;
            pending.answered = answer.server();
        }
        if (pending.awaited != null) {
            return;
        }
        if (pending.askAgain) {
            ask(machine, request);
            return;
        }
        // when the lease that it was told of ends, the first in the queue first
        long stagger = 1 + Math.min(answer.position() - 1, 100) * 2L;
        long at = Math.min(now + SAFETY_POLL, now + (answer.remainingMillis() + stagger) * MILLI);
        if (request.waiter == null) {
            pending.dueAt = at;
        } else {
            machine.pollAt = request == machine.waiters.oldest() ? at : Math.min(machine.pollAt, at);
        }
    }

    // ================================================================ no answer

    /**
     * Handles a failed acquire.
     *
     * @param command the command that carried the acquire: the acquire itself, or a release
     */
    static void acquireFailed(LockMachine machine, Command<?> command, Command.Acquire acquire, Reply.Failed failed) {
        Request request = machine.find(acquire.request());
        if (request != null && !failed.executed()) {
            request.acquireEnded();
        }
        failed(machine, request, command, failed);
    }

    /** Handles a failed replicate. */
    static void replicateFailed(LockMachine machine, Command.Replicate replicate, Reply.Failed failed) {
        failed(machine, machine.find(replicate.item().request()), replicate, failed);
    }

    private static void failed(
            LockMachine machine, @Nullable Request request, Command<?> command, Reply.Failed failed) {
        if (request == null) {
            return;
        }
        boolean current = request.isAwaiting(command);
        Retrying.retryLater(machine, request, command);
        if (request.state != State.WANTED) {
            return;
        }
        if (!failed.cause().isRetryable()) {
            Waiting.failAll(machine, LockOutage.refused(machine.effects.lock(), failed.cause()));
        } else if (request.tryOnly && current) {
            Waiting.refuse(
                    machine, request, new Waiter.Failed(LockOutage.refused(machine.effects.lock(), failed.cause())));
        }
    }

    // ================================================================ grants

    /** Handles a grant by message. */
    static void granted(LockMachine machine, Request request, Grant grant, long now) {
        request.known = true;
        request.standing = true;
        if (request.state != State.WANTED) {
            owns(machine, request, Long.MIN_VALUE, grant.token(), BY_MESSAGE);
            return;
        }
        Effects effects = machine.effects;
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
            owns(machine, request, until, grant.token(), BY_MESSAGE);
        } else {
            askNow(machine, request); // another server's clock, or one that was replaced since: confirm it first
        }
    }

    /**
     * Handles that a request is the owner at the backend until the deadline at least.
     *
     * @param sent when the acquire was sent whose answer says so, which confirms it for the whole lease; or
     *     {@link #BY_MESSAGE}
     */
    private static void owns(LockMachine machine, Request request, long until, long token, long sent) {
        boolean confirmed = sent != BY_MESSAGE;
        long deadline = confirmed ? until - machine.effects.missedSince(sent) : until;
        switch (request.state) {
            case WANTED -> {
                Hold before = machine.hold;
                boolean outdated = before != null && token < before.request.firstToken && sent <= before.since;
                if (machine.closed) {
                    Waiting.refuse(machine, request, new Waiter.Failed(machine.closed("cannot be acquired")));
                } else if (outdated || !request.suffices(deadline, machine.effects.now(), confirmed)) {
                    // older than the present hold, too late, or too short to count: neither a hold nor a loss
                    askNow(machine, request);
                } else if (needsReplicas(request, token)) {
                    replicate(machine, request, token);
                } else {
                    begin(machine, request, deadline, token, confirmed);
                }
            }
            case HELD -> Renewing.grantedAgain(machine, request, deadline, token, confirmed, sent);
            case UNDOING -> machine.withdrawing().again(request);
            case LOST, RELEASING -> {} // its release is under way, or comes when the owner has unwound
        }
    }

    private static void begin(LockMachine machine, Request request, long deadline, long token, boolean confirmed) {
        Hold before = machine.hold;
        if (before != null) {
            Renewing.displace(machine, before);
        }
        long now = machine.effects.now();
        request.begin(deadline, token, confirmed, now);
        if (request == machine.wanted) {
            machine.wanted = null;
        }
        machine.refusals++;
        machine.occupy(request, now);
        if (!confirmed) {
            Renewing.renewIfDue(machine, request, now); // at once if the claim is short
        }
    }

    // ================================================================ replicas

    /** Returns whether replicas are required that have not confirmed that grant. */
    private static boolean needsReplicas(Request request, long token) {
        return request.terms.options.replication().isPresent() && request.pending().replicated != token;
    }

    /** Returns whether replicas are being asked about that grant. */
    private static boolean isReplicating(Request request, long token) {
        return request.pending().awaited instanceof Command.Replicate replicate
                && replicate.item().firstToken() == token;
    }

    private static void replicate(LockMachine machine, Request request, long token) {
        Replication wanted = request.terms.options.replication().orElse(null);
        if (wanted != null && !isReplicating(request, token)) {
            long now = machine.effects.now();
            LockTerms terms = request.terms;
            request.prolongs(now, terms.leaseMillis);
            Command.Renew.Item item = new Command.Renew.Item(
                    request.lock(), request.id(), token, terms.leaseMillis, terms.takeoverMillis);
            long stale = request.notAfter(machine.effects.serverClock(), now, machine.commandTimeout());
            int copies = wanted.onDisk() ? 1 : wanted.replicas();
            Command.Replicate replicate = new Command.Replicate(
                    item, copies, wanted.onDisk(), wanted.within().toMillis(), stale);
            request.sent(replicate, now);
            machine.effects.send(replicate);
        }
    }

    /** Handles the answer to a replicate. */
    static void replicated(LockMachine machine, Command.Replicate replicate, long sent, Reply.Replicated answer) {
        Command.Renew.Item item = replicate.item();
        Request request = machine.find(item.request());
        if (request == null || !request.answeredTo(replicate) || request.state != State.WANTED) {
            return; // the request is not wanted any more, or has asked again
        }
        if (answer.outcome() != Reply.Renewal.OK) { // it is not the owner any more, or came too late
            askSoon(machine, request, sent);
        } else if (answer.copies() < replicate.copies()) {
            BackendException cause = LockOutage.refused(machine.effects.lock(), tooFew(replicate, answer));
            Waiting.refuse(machine, request, new Waiter.Failed(cause));
        } else {
            request.pending().replicated = item.firstToken();
            owns(machine, request, sent + LeaseTimes.safe(item.leaseMillis(), 0), item.firstToken(), sent);
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
