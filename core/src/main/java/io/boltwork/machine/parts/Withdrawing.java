// SPDX-License-Identifier: Apache-2.0
package io.boltwork.machine.parts;

import static io.boltwork.spi.rules.LeaseTimes.MILLI;

import io.boltwork.LockKind;
import io.boltwork.machine.LockMachine;
import io.boltwork.machine.request.Pending;
import io.boltwork.machine.request.Request;
import io.boltwork.machine.request.Request.State;
import io.boltwork.machine.request.Ticker;
import io.boltwork.machine.state.Effects;
import io.boltwork.machine.state.LockState;
import io.boltwork.spi.Command;
import io.boltwork.spi.HeldShare;
import io.boltwork.spi.Reply;
import io.boltwork.spi.RequestId;
import io.boltwork.spi.ServerTime;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * WITHDRAWING: withdraws requests that are no longer wanted, until the backend has confirmed that nothing of them is
 * left. Nudges the server after grants that this client has caused and that may never be taken. Part of a
 * {@link LockMachine}: handles the answers to {@code Withdraw}.
 */
public final class Withdrawing {

    private static final long NUDGE_AGAIN = TimeUnit.MILLISECONDS.toNanos(100);

    private Withdrawing() {}

    // ================================================================ withdrawing

    /** Withdraws a request that is no longer wanted. */
    public static void withdraw(LockState lock, Request request) {
        if (request.unanswered() == 0 && !request.known) {
            lock.requests.remove(request); // the server has never heard of it
            return;
        }
        request.state = State.WITHDRAWING;
        request.pending().giveUpAt = Ticker.NEVER; // it may be in the queue, where it would stay after any lease
        if (request.isAwaiting() && lock.requests.isFull()) {
            request.pending().withdrawAgain = true; // the withdrawal is sent when its acquire has been answered
        } else {
            send(lock, request);
        }
    }

    /** Withdraws a request again that was granted or queued meanwhile. */
    static void again(LockState lock, Request request) {
        if (!request.isAwaiting()) {
            sendNow(lock, request); // other clients wait for the lock meanwhile
        } else {
            request.pending().withdrawAgain = true;
        }
    }

    /** Withdraws a request that the backend names as the owner and that is unknown here, if this client made it. */
    static void ownerNamed(LockState lock, @Nullable String owner) {
        if (owner != null && lock.find(owner) == null) {
            stray(lock, owner);
        }
    }

    /** Withdraws a request that the backend has named and that is unknown here, if this client made it. */
    public static void stray(LockState lock, @Nullable String id) {
        long number = lock.effects.number(id);
        if (number != RequestId.NONE) {
            stray(lock, number);
        }
    }

    private static void stray(LockState lock, long number) {
        Request request = unwanted(lock, number, 0);
        request.pending().giveUpAt = Ticker.NEVER;
        sendNow(lock, request); // other clients wait for the lock meanwhile
    }

    /** Withdraws a request whose release the backend may have lost. */
    public static void releaseAgain(LockState lock, long number, long lastToken) {
        withdraw(lock, unwanted(lock, number, lastToken));
    }

    private static Request unwanted(LockState lock, long number, long lastToken) {
        Request request = Request.unwanted(lock.effects, number, lastToken);
        lock.requests.add(request, lock.effects.timing().underWay());
        return request;
    }

    /** Sends the withdrawal as soon as it may be sent. */
    private static void send(LockState lock, Request request) {
        if (lock.requests.admits(request)) {
            sendNow(lock, request);
        }
    }

    public static void sendNow(LockState lock, Request request) {
        Effects effects = lock.effects;
        Command.Withdraw withdraw = new Command.Withdraw(
                effects.lock(), request.id(), request.lastToken, request.held(), request.pending().signals);
        request.pending().withdrawAgain = false;
        request.sent(withdraw, effects.now());
        effects.send(withdraw);
    }

    /** Does what is due for a request that is being withdrawn. */
    public static void tick(LockState lock, Request request, long now) {
        if (now >= request.pending().giveUpAt) {
            lock.requests.remove(request);
        } else if (request.isDue(now)) {
            send(lock, request);
        }
    }

    // ================================================================ answers

    /** Applies the answer to a withdrawal or a nudge. */
    static void withdrawn(LockState lock, Command.Withdraw withdraw, Reply.Withdrawn answer) {
        nudgeAfter(lock, answer.claimMillis());
        Request request = lock.find(withdraw.request());
        if (request != null && request.state == State.WITHDRAWING && request.answeredTo(withdraw)) {
            withdrawn(lock, request, answer);
        }
        if (withdraw.request() == null && lock.waiters.hasOwnRequests()) {
            // a claim that lapsed may have been this client's
            lock.pollAt = Math.min(lock.pollAt, lock.effects.now());
        }
    }

    private static void withdrawn(LockState lock, Request request, Reply.Withdrawn answer) {
        if (answer.known()) {
            lock.effects.released(request);
        }
        boolean forgotten = request.queuedAtServer && !answer.known();
        request.queuedAtServer = false;
        Pending pending = request.pending();
        pending.failures = 0;
        ServerTime server = answer.server();
        long now = lock.effects.now();
        if (pending.withdrawAgain) {
            sendNow(lock, request);
        } else if (request.isTainted(server, now)) {
            pending.dueAt = now + request.staleIn(server, now) + MILLI;
        } else {
            lock.requests.remove(request);
        }
        if (forgotten) {
            Asking.askOthers(lock, request);
        }
    }

    /** Plans the next attempt after a failed withdrawal or nudge. */
    static void failed(LockState lock, Command.Withdraw withdraw, Reply.Failed failed) {
        if (withdraw.request() == null) {
            lock.seldomUsed().nudgeAt = Math.min(lock.nudgeAt(), lock.effects.now() + NUDGE_AGAIN);
            return;
        }
        Request request = lock.find(withdraw.request());
        Retrying.retryLater(lock, request, withdraw);
        if (request != null
                && request.state == State.WITHDRAWING
                && request.pending().giveUpAt == Ticker.NEVER
                && !failed.cause().isRetryable()) {
            // the backend refuses for good: nothing is left to do when every lease that was asked for has ended
            request.pending().giveUpAt = request.nothingLeft(lock.effects.now(), lock.commandTimeout());
        }
    }

    // ================================================================ nudging

    /**
     * Plans a nudge after the claim of the lock's new owner, whose client may no longer exist. Nudges at once if the
     * server has to be asked {@linkplain Reply#AGAIN again}.
     */
    public static void nudgeAfter(LockState lock, long claimMillis) {
        if (claimMillis == Reply.AGAIN) {
            nudge(lock);
        } else if (claimMillis > 0) {
            lock.seldomUsed().nudgeAt = lock.effects.now() + (claimMillis + 1) * MILLI;
        }
    }

    /** Nudges if it is time to. */
    public static void nudgeIfDue(LockState lock, long now) {
        if (now >= lock.nudgeAt()) {
            nudge(lock);
        }
    }

    private static void nudge(LockState lock) {
        lock.cancelNudge();
        Effects effects = lock.effects;
        effects.send(new Command.Withdraw(effects.lock(), null, 0, nothingHeld(effects)));
    }

    private static HeldShare nothingHeld(Effects effects) {
        return effects.kind() == LockKind.LOCK ? HeldShare.WHOLE : new HeldShare(effects.share(1), 0, 0);
    }
}
