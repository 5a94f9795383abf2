package io.boltwork.machine;

import io.boltwork.LeaseLoss;
import io.boltwork.LeaseLoss.Reason;
import io.boltwork.machine.Request.State;
import io.boltwork.spi.Command;
import io.boltwork.spi.Reply;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * LOST and RELEASING: gives the lock back until the backend has answered, or nothing can be left there. Part of a
 * {@link LockMachine}: handles the answers to {@code Release}.
 */
final class Releasing {

    private Releasing() {}

    // ================================================================ losing and leaving

    /** Notes that the request does not own the lock any more, though its owner here has not unwound. */
    static void lost(LockMachine machine, Request request) {
        request.settle(RecoveryTally::lost);
        request.state = State.LOST;
        request.pending().dueAt = Ticker.NEVER;
        request.pending().giveUpAt = request.nothingLeft(machine.effects.now(), machine.commandTimeout());
    }

    /** Plans when a lost hold is released, though its owner may not have unwound by then. */
    static void planAfterLoss(LockMachine machine, Request request, Reason reason) {
        if (reason == Reason.MAX_HOLD) {
            request.quiet(machine.effects.now());
            start(machine, request); // the limit is for the others, who do not wait for its owner
        } else if (reason == Reason.EXPIRED) {
            request.pending().dueAt = request.closedUntil; // waiters may have been told the end of an earlier lease
        }
    }

    /** Handles that the owner has left its hold, or has unwound a lost one. */
    static void release(LockMachine machine, Hold left) {
        Request request = left.request;
        Hold held = machine.hold;
        if (held != null && held != left && held.request == request) {
            machine.effects.decide(left.released(), Optional.empty()); // handed over since: it was released already
            return;
        }
        if (held == left) {
            machine.hold = null;
        } else {
            machine.lostHolds = machine.lostHolds.without(left);
        }
        boolean clean = left.loss() == null;
        if (clean) {
            LockEvents.released(machine.effects, left);
        }
        if (machine.requests.get(request.number) != request
                || request.state != State.HELD && request.state != State.LOST) {
            machine.effects.decide(left.released(), Optional.empty()); // nothing can be left, or it is RELEASING
        } else if (clean && machine.handOver(request, left)) {
            machine.effects.decide(left.released(), Optional.empty());
        } else {
            request.pending().releaser = left;
            start(machine, request);
        }
        machine.pump();
    }

    // ================================================================ releasing

    /** Begins to give the lock back. The next waiter's acquire goes along, if it may be sent now. */
    static void start(LockMachine machine, Request request) {
        if (machine.effects.now() >= request.deadline()) {
            request.quietAfterLease();
        }
        request.settle(RecoveryTally::done);
        request.state = State.RELEASING;
        request.pending().giveUpAt = request.nothingLeft(machine.effects.now(), machine.commandTimeout());
        request.pending().failures = 0;
        Waiter first = machine.waiters.first();
        Request next = null;
        if (first != null && machine.wanted == null && !machine.closed && !machine.requests.isFull()) {
            next = machine.newRequest(first);
            machine.wanted = next;
        }
        send(machine, request, next);
    }

    private static void send(LockMachine machine, Request request, @Nullable Request next) {
        Effects effects = machine.effects;
        Command.Release release = new Command.Release(
                effects.lock(),
                request.id(),
                request.firstToken,
                request.lastToken,
                request.keepMillis(effects.now()),
                next == null ? null : Asking.acquire(machine, next));
        request.sent(release, effects.now());
        if (next != null) {
            next.sent(release, effects.now());
        }
        effects.send(release);
    }

    /** Does what is due for a request whose hold is lost. */
    static void tickLost(LockMachine machine, Request request, long now) {
        if (now >= request.pending().giveUpAt) {
            machine.requests.remove(request);
        } else if (request.isDue(now)) {
            start(machine, request);
        }
    }

    /** Does what is due for a request that is being released. */
    static void tick(LockMachine machine, Request request, long now) {
        if (now >= request.pending().giveUpAt) {
            end(machine, request);
        } else if (request.isDue(now)) {
            request.pending().repeated = true;
            send(machine, request, null);
        }
    }

    // ================================================================ answers

    /** Handles the answer to a release. */
    static void released(LockMachine machine, Command.Release release, long sent, Reply.Released answer) {
        Request request = machine.find(release.request());
        if (request != null && request.state == State.RELEASING) {
            request.answeredTo(release);
            if (answer.outcome() != Reply.Release.RELEASED) {
                Asking.askOthers(machine, request);
            }
            tellReleaser(machine, request, answer.outcome());
            end(machine, request);
            machine.effects.released(request);
        }
        Command.Acquire acquire = release.next();
        if (acquire != null) {
            nextAnswered(machine, release, acquire, sent, answer.next());
        }
        if (answer.next() == null || !Asking.waits(Objects.requireNonNull(acquire), answer.next())) {
            machine.nudgeAfter(answer.claimMillis());
        }
    }

    private static void tellReleaser(LockMachine machine, Request request, Reply.Release outcome) {
        // NOT_HELD before the end of the lease: the hold had been lost, unless an earlier sending has released it
        boolean lost = outcome == Reply.Release.NOT_HELD && machine.effects.now() < request.deadline();
        Hold releaser = request.pending().releaser;
        if (releaser != null) {
            Optional<LeaseLoss> loss = lost && !request.pending().repeated && releaser.loss() == null
                    ? Optional.of(releaser.lossNow(Reason.TAKEN))
                    : Optional.empty();
            if (loss.isPresent()) {
                releaser.tellLost(loss.get());
            }
            machine.effects.decide(releaser.released(), loss);
        }
    }

    private static void nextAnswered(
            LockMachine machine,
            Command.Release release,
            Command.Acquire acquire,
            long sent,
            Reply.@Nullable Acquired answer) {
        if (answer != null) {
            Asking.acquired(machine, release, acquire, sent, answer);
            return;
        }
        Request next = machine.find(acquire.request());
        if (next != null) { // it was not entered
            next.acquireEnded();
            next.answeredTo(release);
            if (next.state == State.WANTED && !next.isAwaiting()) {
                Asking.ask(machine, next);
            }
        }
    }

    /** Handles a failed release. */
    static void failed(LockMachine machine, Command.Release release, Reply.Failed failed) {
        Retrying.retryLater(machine, machine.find(release.request()), release);
        if (release.next() != null) {
            Asking.acquireFailed(machine, release, release.next(), failed);
        }
    }

    /** Ends a release. If bytes of the request's acquires may still be executed, the request is withdrawn, too. */
    private static void end(LockMachine machine, Request request) {
        if (request.unanswered() > 0) {
            machine.withdrawing().withdraw(request);
        } else {
            machine.requests.remove(request);
        }
    }

    /** Ends the releaser's wait for an answer: it does not wait for repetitions. */
    static void leaveReleaser(LockMachine machine, Request request) {
        Hold releaser = request.pending().releaser;
        if (request.state != State.RELEASING || releaser == null) {
            return;
        }
        request.pending().releaser = null; // once: by its own clock the releaser may have left already
        machine.effects.decide(releaser.released(), Optional.empty());
        LockEvents.releaseFailed(machine.effects, releaser);
    }

    /** Tells the releaser that the lock may have been another client's, too, because both had the same id. */
    static void disowned(LockMachine machine, Request request) {
        Hold releaser = request.state == State.RELEASING ? request.pending().releaser : null;
        if (releaser != null) {
            LeaseLoss loss = releaser.lossNow(Reason.CLONED);
            releaser.tellLost(loss);
            machine.effects.decide(releaser.released(), Optional.of(loss));
        }
    }
}
