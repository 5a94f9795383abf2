package io.boltwork.machine;

import static io.boltwork.machine.LeaseTimes.MILLI;

import io.boltwork.machine.Request.State;
import io.boltwork.spi.Command;
import io.boltwork.spi.Reply;
import io.boltwork.spi.ServerTime;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * UNDOING: withdraws requests that are not wanted any more, until the backend has confirmed that nothing of them is
 * left. Nudges the server after grants that this client has caused and that may never be taken. Part of a {@link
 * LockMachine}: handles the answers to {@code Withdraw}.
 */
final class Withdrawing {

    private static final long NUDGE_AGAIN = TimeUnit.MILLISECONDS.toNanos(100);

    private final LockMachine machine;

    /** The waiters that are being told of a failure; {@code null} if there are none. */
    Waiting.@Nullable Dismissal dismissal;

    /** The time of the next question to the server whether the latest grant that this client caused was taken. */
    private long nudgeAt = Ticker.NEVER;

    Withdrawing(LockMachine machine) {
        this.machine = machine;
    }

    // ================================================================ withdrawing

    /** Withdraws a request that is not wanted any more. */
    void withdraw(Request request) {
        if (request.unanswered() == 0 && !request.known) {
            machine.requests.remove(request); // the server has never heard of it
            return;
        }
        request.state = State.UNDOING;
        request.pending().giveUpAt = Ticker.NEVER; // it may stand in the queue, which does not end with any lease
        if (request.isAwaiting() && machine.requests.isFull()) {
            request.pending().withdrawAgain = true; // when its acquire has been answered
        } else {
            send(request);
        }
    }

    /** Withdraws a request again that was granted or queued meanwhile. */
    void again(Request request) {
        if (!request.isAwaiting()) {
            sendNow(request); // other clients wait for the lock meanwhile
        } else {
            request.pending().withdrawAgain = true;
        }
    }

    /** Withdraws a request of this client that the backend names and that is unknown here. */
    void stray(long number) {
        Request request = unwanted(number, 0);
        request.pending().giveUpAt = Ticker.NEVER;
        sendNow(request); // other clients wait for the lock meanwhile
    }

    /** Withdraws a request whose release the backend may have lost. */
    void releaseAgain(long number, long lastToken) {
        withdraw(unwanted(number, lastToken));
    }

    private Request unwanted(long number, long lastToken) {
        Request request = Request.unwanted(machine.effects, number, lastToken);
        machine.requests.add(request, machine.effects.timing().underWay());
        return request;
    }

    /** Sends the withdrawal as soon as it may be sent. */
    private void send(Request request) {
        if (machine.requests.admits(request)) {
            sendNow(request);
        }
    }

    void sendNow(Request request) {
        Effects effects = machine.effects;
        Command.Withdraw withdraw = new Command.Withdraw(effects.lock(), request.id(), request.lastToken);
        request.pending().withdrawAgain = false;
        request.sent(withdraw, effects.now());
        effects.send(withdraw);
    }

    /** Does what is due for a request that is being withdrawn. */
    void tick(Request request, long now) {
        if (now >= request.pending().giveUpAt) {
            machine.requests.remove(request);
        } else if (request.isDue(now)) {
            send(request);
        }
    }

    // ================================================================ answers

    /** Handles the answer to a withdrawal or a nudge. */
    void withdrawn(Command.Withdraw withdraw, Reply.Withdrawn answer) {
        nudgeAfter(answer.claimMillis());
        Request request = machine.find(withdraw.request());
        if (request != null && request.state == State.UNDOING && request.answeredTo(withdraw)) {
            withdrawn(request, answer);
        }
        if (withdraw.request() == null && machine.waiters.hasOwnRequests()) {
            // a claim that lapsed may have been this client's
            machine.pollAt = Math.min(machine.pollAt, machine.effects.now());
        }
    }

    private void withdrawn(Request request, Reply.Withdrawn answer) {
        boolean forgotten = request.standing && !answer.known();
        request.standing = false;
        Pending pending = request.pending();
        pending.failures = 0;
        ServerTime server = answer.server();
        long now = machine.effects.now();
        if (pending.withdrawAgain) {
            sendNow(request);
        } else if (request.isTainted(server, now)) {
            pending.dueAt = now + request.staleIn(server, now) + MILLI;
        } else {
            machine.requests.remove(request);
        }
        if (forgotten) {
            Asking.askOthers(machine, request);
        }
    }

    /** Handles a failed withdrawal or nudge. */
    void failed(Command.Withdraw withdraw, Reply.Failed failed) {
        if (withdraw.request() == null) {
            nudgeAt = Math.min(nudgeAt, machine.effects.now() + NUDGE_AGAIN);
            return;
        }
        Request request = machine.find(withdraw.request());
        Retrying.retryLater(machine, request, withdraw);
        if (request != null
                && request.state == State.UNDOING
                && request.pending().giveUpAt == Ticker.NEVER
                && !failed.cause().isRetryable()) {
            // the backend refuses for good: nothing is left to do when all that was asked for has ended
            request.pending().giveUpAt = request.nothingLeft(machine.effects.now(), machine.commandTimeout());
        }
    }

    // ================================================================ nudging

    /**
     * Plans a nudge after the claim of the lock's new owner, whose client may not exist any more. Nudges at once if the
     * server has to be asked {@linkplain Reply#AGAIN again}.
     */
    void nudgeAfter(long claimMillis) {
        if (claimMillis == Reply.AGAIN) {
            nudge();
        } else if (claimMillis > 0) {
            nudgeAt = machine.effects.now() + (claimMillis + 1) * MILLI;
        }
    }

    /** Cancels the nudge, because the lock was heard of: the client that is in charge of it now looks after it. */
    void cancelNudge() {
        nudgeAt = Ticker.NEVER;
    }

    long nudgeAt() {
        return nudgeAt;
    }

    void nudgeIfDue(long now) {
        if (now >= nudgeAt) {
            nudge();
        }
    }

    private void nudge() {
        nudgeAt = Ticker.NEVER;
        machine.effects.send(new Command.Withdraw(machine.effects.lock(), null, 0));
    }
}
