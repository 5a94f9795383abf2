// SPDX-License-Identifier: Apache-2.0
package io.boltwork.machine.parts;

import io.boltwork.LeaseLoss;
import io.boltwork.LeaseLostException;
import io.boltwork.machine.LockMachine;
import io.boltwork.machine.request.Hold;
import io.boltwork.machine.request.Request;
import io.boltwork.machine.request.Request.State;
import io.boltwork.machine.request.SignalWait;
import io.boltwork.machine.request.Waiter;
import io.boltwork.machine.state.LockState;
import io.boltwork.spi.Command;
import io.boltwork.spi.Grant;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Reply.Verdict;
import io.boltwork.spi.Signal;
import java.util.List;
import java.util.Optional;

/**
 * WANTED: waits for a signal of a condition before it asks for the lock. Part of a {@link LockMachine}: the request
 * begins to wait in the {@code Release} of its caller's hold, and polls by {@code Acquire}.
 *
 * <p>A signal is sent with the release of the hold that it was given in, because a waiter cannot have the lock earlier.
 * It moves the request to the queue of the lock, and a grant tells this client of it. So a signal costs no round trip,
 * and its waiter is woken once, when it has the lock.
 *
 * <p>A signal must not be lost, but a caller may be woken without one. Therefore, a request asks for the lock as soon
 * as the server does not know of its wait, or is another one than at the beginning.
 */
public final class Awaiting {

    /** The most requests that poll in each {@link Asking#SAFETY_POLL}: at most 20 polls a second for each lock. */
    private static final int POLLING = 100;

    private Awaiting() {}

    // ================================================================ beginning and ending

    /** Lets the caller of a hold, all levels of which it has left, wait for a signal. */
    public static void awaitSignal(LockState lock, Hold left, Waiter waiter, SignalWait wait) {
        waiter.since = lock.lastEvent;
        if (lock.closed) {
            Releasing.release(lock, left, null);
            Waiting.decide(lock, waiter, new Waiter.Failed(lock.closed("cannot be acquired again")));
            return;
        }
        wait.goesOn = true;
        wait.run = lock.effects.serverClock().run();
        Request request = lock.newRequest(waiter);
        waiter.request = request;
        lock.seldomUsed().awaiting.add(waiter);
        Releasing.release(lock, left, request);
        if (request.state == State.WANTED && !request.isAwaiting()) {
            Asking.ask(lock, request); // there was nothing to release
        }
    }

    /** Asks for the lock for a caller that was interrupted or whose time has ended. */
    static void stopAwaiting(LockState lock, Waiter waiter, SignalWait wait, boolean timedOut) {
        if (lock.seldomUsed().awaiting.contains(waiter)) {
            wait.interrupted = !timedOut;
            leave(lock, waiter, wait);
            Request request = waiter.request;
            if (request != null && !request.isAwaiting()) {
                Asking.ask(lock, request);
            }
        }
    }

    /** Lets a caller wait for the lock and no longer for a signal. */
    private static void leave(LockState lock, Waiter waiter, SignalWait wait) {
        wait.goesOn = false;
        lock.seldomUsed().awaiting.remove(waiter);
        if (lock.waiters.isEmpty()) {
            lock.outage = lock.outage.restarted(); // no caller was waiting for the lock
        }
        waiter.since = lock.lastEvent;
        lock.waiters.add(waiter);
    }

    private static void wake(LockState lock, Waiter waiter, SignalWait wait) {
        wait.woken = true;
        leave(lock, waiter, wait);
    }

    /** Wakes all callers, because their requests have to be dismissed or made anew. */
    public static void wakeAll(LockState lock) {
        for (Waiter waiter : lock.awaiting()) {
            SignalWait wait = waiter.signalWait;
            if (wait != null) {
                wake(lock, waiter, wait);
            }
        }
    }

    // ================================================================ answers

    /**
     * Updates the wait after the server has answered an acquire: the request waits for the lock, or has it, or waits
     * for its signal.
     */
    static void answered(LockState lock, Request request, Reply.Acquired answer) {
        Waiter waiter = request.waiter;
        SignalWait wait = waiter == null ? null : waiter.signalWait;
        Verdict verdict = answer.verdict();
        boolean asked = verdict == Verdict.GRANTED || verdict == Verdict.QUEUED || verdict == Verdict.AGAIN;
        if (waiter == null || wait == null || !asked || request.state != State.WANTED) {
            return;
        }
        if (wait.goesOn || !wait.hasAsked) {
            wait.signalled |= answer.known(); // it was in the queue, so it had been signalled before its time ended
            wait.woken |= answer.known();
        }
        if (wait.goesOn) {
            wake(lock, waiter, wait);
        }
        wait.hasAsked = true;
    }

    /** Updates the wait after the answer that the request waits for its signal. */
    static void waits(LockState lock, Request request, long sent, Reply.Acquired answer) {
        Waiter waiter = request.waiter;
        SignalWait wait = waiter == null ? null : waiter.signalWait;
        if (request.state == State.WITHDRAWING) {
            Withdrawing.again(lock, request);
            return;
        } else if (request.state != State.WANTED || waiter == null || wait == null) {
            return;
        }
        request.pending().knownTo(answer.server(), sent);
        if (wait.goesOn && !answer.server().run().equals(wait.run)) {
            wake(lock, waiter, wait); // this server may not have executed a signal that another one has
        }
        if (request.isAwaiting()) {
            return;
        }
        if (wait.goesOn) {
            int others = lock.awaiting().size();
            request.pending().dueAt = lock.effects.now() + Asking.SAFETY_POLL * (1 + others / POLLING);
        } else {
            Asking.ask(lock, request);
        }
    }

    /** Marks the wait as signalled if the message of a grant says so. The server's answers may arrive after it. */
    static void granted(Request request, Grant grant) {
        Waiter waiter = request.waiter;
        SignalWait wait = waiter == null ? null : waiter.signalWait;
        if (wait != null) {
            wait.signalled |= grant.signalled();
            wait.woken |= grant.signalled();
        }
    }

    /** Gives back the signal that a caller has taken, because it does not get the lock. */
    static void fails(Request request, Waiter waiter) {
        SignalWait wait = waiter.signalWait;
        if (wait != null && wait.signalled) {
            request.pending().signals = List.of(new Signal(wait.condition, 1));
        }
    }

    /** Refuses the wait of a caller whose hold turns out to be lost when it is released. */
    static void lost(LockState lock, Command.Release release, Optional<LeaseLoss> loss) {
        Command.Acquire next = release.next();
        Request request = next == null || next.condition() == null ? null : lock.find(next.request());
        if (loss.isPresent() && request != null && request.state == State.WANTED) {
            Waiting.refuse(lock, request, new Waiter.Failed(new LeaseLostException(loss.get())));
        }
    }

    // ================================================================ signalling

    /** Adds a signal, which is sent with the next release. */
    public static void signal(LockState lock, String condition, int waiters) {
        List<Signal> signals = lock.seldomUsed().signals;
        for (int i = 0; i < signals.size(); i++) {
            if (signals.get(i).condition().equals(condition)) {
                signals.set(i, signals.get(i).and(waiters));
                return;
            }
        }
        signals.add(new Signal(condition, waiters));
    }
}
