// SPDX-License-Identifier: Apache-2.0
package io.boltwork.machine.parts;

import io.boltwork.LeaseLoss;
import io.boltwork.LeaseLoss.Reason;
import io.boltwork.machine.LockMachine;
import io.boltwork.machine.request.Hold;
import io.boltwork.machine.request.RecoveryTally;
import io.boltwork.machine.request.Request;
import io.boltwork.machine.request.Request.State;
import io.boltwork.machine.request.Ticker;
import io.boltwork.machine.state.Effects;
import io.boltwork.machine.state.LockEvents;
import io.boltwork.machine.state.LockState;
import io.boltwork.spi.Command;
import io.boltwork.spi.Reply;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * LOST and RELEASING: gives the lock back, until the backend has answered or nothing can be left there. Part of a
 * {@link LockMachine}: handles the answers to {@code Release}.
 */
public final class Releasing {

    private Releasing() {}

    // ================================================================ losing and leaving

    /** Marks a request as lost: it no longer owns the lock, although its owner here has not unwound. */
    static void lost(LockState lock, Request request) {
        request.settle(RecoveryTally::lost);
        request.state = State.LOST;
        request.pending().dueAt = Ticker.NEVER;
        request.pending().giveUpAt = request.nothingLeft(lock.effects.now(), lock.commandTimeout());
    }

    /** Plans when a lost hold is released, although its owner may not have unwound by then. */
    static void planAfterLoss(LockState lock, Request request, Reason reason) {
        if (reason == Reason.MAX_HOLD) {
            request.quiet(lock.effects.now());
            start(lock, request); // the limit serves other owners, which must not wait for this one
        } else if (reason == Reason.EXPIRED) {
            request.pending().dueAt = request.closedUntil; // waiters may have been told the end of an earlier lease
        }
    }

    /**
     * Releases the hold that its owner has left, or forgets a lost one that its owner has unwound. Returns {@code
     * false} if the hold was handed over before, so that nothing has changed.
     *
     * @param awaiting a request that begins to wait for a signal in the same step; {@code null} if there is none
     */
    public static boolean release(LockState lock, Hold left, @Nullable Request awaiting) {
        lock.kind.left(left);
        if (lock.kind.downgrades(lock, left)) {
            return true;
        }
        Request request = left.request;
        Hold held = lock.heldBy(request);
        Hold whole = left.whole();
        boolean clean = left.loss() == null;
        if (held != null && held != whole) {
            if (clean && left.isReader()) { // its thread goes on as a writer
                lock.countUse().ended(left, lock.lastEvent);
                LockEvents.released(lock.effects, left);
            }
            lock.effects.decide(left.released(), Optional.empty()); // or handed over since: it was released already
            return false;
        }
        if (held == null && request == lock.retained()) {
            lock.effects.decide(left.released(), Optional.empty()); // it was released already
            return false;
        }
        boolean last = whole.leftBy(left);
        lock.countUse().ended(left, lock.lastEvent);
        if (held != whole) {
            lock.lostHolds = lock.lostHolds.without(left);
        } else if (last) {
            lock.kind.ends(lock, held);
        }
        if (clean) {
            LockEvents.released(lock.effects, left);
        }
        if (!last) {
            lock.effects.decide(left.released(), Optional.empty()); // others share the hold
            return false;
        }
        if (lock.requests.get(request.number) != request
                || request.state != State.HELD && request.state != State.LOST) {
            lock.effects.decide(left.released(), Optional.empty()); // nothing can be left, or it is RELEASING
        } else if (clean
                && awaiting == null
                && (Waiting.handOver(lock, request, left) || Retaining.keep(lock, request))) {
            lock.effects.decide(left.released(), Optional.empty());
        } else {
            request.pending().releaser = left;
            start(lock, request, awaiting);
        }
        return true;
    }

    // ================================================================ releasing

    /**
     * Gives back the lease that is retained, if there is one. The release carries the next acquire, if there is a
     * waiter.
     */
    public static void giveBack(LockState lock) {
        Request request = lock.retained();
        if (request != null) {
            lock.retention().request = null;
            start(lock, request);
        }
    }

    /** Begins to give the lock back. The release carries the next waiter's acquire, if that may be sent now. */
    public static void start(LockState lock, Request request) {
        start(lock, request, null);
    }

    private static void start(LockState lock, Request request, @Nullable Request awaiting) {
        if (lock.effects.now() >= request.deadline()) {
            request.quietAfterLease();
        }
        request.settle(RecoveryTally::done);
        request.state = State.RELEASING;
        request.pending().giveUpAt = request.nothingLeft(lock.effects.now(), lock.commandTimeout());
        request.pending().failures = 0;
        if (lock.hasSignals()) {
            request.pending().signals = lock.takeSignals();
            request.pending().giveUpAt = Ticker.NEVER; // a signal must not be lost
        }
        boolean mayAsk = awaiting == null && !lock.closed && !lock.requests.isFull();
        send(lock, request, mayAsk ? lock.kind.next(lock, request) : awaiting);
    }

    private static void send(LockState lock, Request request, @Nullable Request next) {
        Effects effects = lock.effects;
        Command.Release release = new Command.Release(
                effects.lock(),
                request.id(),
                request.firstToken,
                request.lastToken,
                request.keepMillis(effects.now()),
                next == null ? null : Asking.acquire(lock, next),
                request.held(),
                request.pending().signals);
        request.sent(release, effects.now());
        if (next != null) {
            next.sent(release, effects.now());
        }
        effects.send(release);
    }

    /** Does what is due for a request whose hold is lost. */
    public static void tickLost(LockState lock, Request request, long now) {
        boolean isOver = now >= request.pending().giveUpAt;
        if (isOver && !lock.hasSignals()) {
            lock.requests.remove(request);
        } else if (isOver || request.isDue(now)) {
            start(lock, request);
        }
    }

    /** Does what is due for a request that is being released. */
    public static void tick(LockState lock, Request request, long now) {
        if (now >= request.pending().giveUpAt) {
            endRelease(lock, request);
        } else if (request.isDue(now)) {
            request.pending().repeated = true;
            send(lock, request, null);
        }
    }

    // ================================================================ answers

    /** Ends a request whose release was answered. */
    static void released(LockState lock, Command.Release release, Reply.Released answer) {
        Request request = lock.find(release.request());
        if (request != null && request.state == State.RELEASING) {
            request.answeredTo(release);
            if (answer.outcome() != Reply.Release.RELEASED) {
                Asking.askOthers(lock, request);
            }
            Awaiting.lost(lock, release, tellReleaser(lock, request, answer.outcome()));
            endRelease(lock, request);
            lock.effects.released(request);
        }
    }

    /** Tells the owner the outcome. Returns the loss that has shown now, if any. */
    private static Optional<LeaseLoss> tellReleaser(LockState lock, Request request, Reply.Release outcome) {
        // NOT_HELD before the end of the lease: the hold had been lost, unless an earlier sending has released it
        boolean lost = outcome == Reply.Release.NOT_HELD && lock.effects.now() < request.deadline();
        Hold releaser = request.pending().releaser;
        if (releaser == null) {
            return Optional.empty();
        }
        Optional<LeaseLoss> loss = lost && !request.pending().repeated && releaser.loss() == null
                ? Optional.of(releaser.lossNow(Reason.TAKEN))
                : Optional.empty();
        loss.ifPresent(releaser::tellLost);
        lock.effects.decide(releaser.released(), loss);
        return loss;
    }

    /**
     * Plans to withdraw a request after its release if it was granted the lock once more. The release may have
     * overtaken the acquire: a caller executes commands over a connection of its own.
     */
    static void grantedAgain(Request request, long token) {
        if (token != request.firstToken) {
            request.pending().withdrawAgain = true;
        }
    }

    /** Plans the next attempt after a failed release. */
    static void failed(LockState lock, Command.Release release, Reply.Failed failed) {
        Request request = lock.find(release.request());
        if (request != null && Retrying.retryLater(lock, request, release)) {
            leaveReleaser(lock, request);
            boolean isEndless = request.state == State.RELEASING && request.pending().giveUpAt == Ticker.NEVER;
            if (isEndless && !failed.cause().isRetryable()) {
                request.pending().giveUpAt = request.nothingLeft(lock.effects.now(), lock.commandTimeout());
            }
        }
    }

    /** Ends a release. If an acquire of the request was executed later, or may be, the request is withdrawn, too. */
    private static void endRelease(LockState lock, Request request) {
        if (request.unanswered() > 0 || request.pending().withdrawAgain) {
            Withdrawing.withdraw(lock, request);
        } else {
            lock.requests.remove(request);
        }
    }

    /** Ends the releaser's wait for an answer: it does not wait for repetitions. */
    public static void leaveReleaser(LockState lock, Request request) {
        Hold releaser = request.pending().releaser;
        if (request.state != State.RELEASING || releaser == null) {
            return;
        }
        request.pending().releaser = null; // once: by its own clock the releaser may have left already
        lock.effects.decide(releaser.released(), Optional.empty());
        LockEvents.releaseFailed(lock.effects, releaser);
    }

    /** Tells the releaser that another client may have held the lock, too, because both had the same id. */
    public static void disowned(LockState lock, Request request) {
        Hold releaser = request.state == State.RELEASING ? request.pending().releaser : null;
        if (releaser != null) {
            LeaseLoss loss = releaser.lossNow(Reason.CLONED);
            releaser.tellLost(loss);
            lock.effects.decide(releaser.released(), Optional.of(loss));
        }
    }
}
