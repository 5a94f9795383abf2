package io.boltwork.machine;

import io.boltwork.BackendException;
import io.boltwork.LockException;
import io.boltwork.machine.Request.State;
import io.boltwork.spi.Command;
import io.boltwork.spi.Reply;
import io.boltwork.spi.ServerTime;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Takes back what nobody here wants any more, until the backend has confirmed that nothing of it is left; and looks after
 * grants that this client has caused and that nobody may be there to take. Part of a {@link LockMachine}, whose requests it
 * shares.
 */
final class Withdrawing {

    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long NUDGE_AGAIN = TimeUnit.MILLISECONDS.toNanos(100);

    private final Requests requests;
    private final Effects effects;

    /** Waiters that are being told of a failure; {@code null} if there are none. */
    @Nullable
    Dismissal dismissal;

    /**
     * All waiters that came until then are told of a failure, some at each event.
     *
     * @param until the client's time
     */
    record Dismissal(LockException cause, long until) {}

    /** When to look whether the grantee that this client saw last has taken its grant. */
    private long nudgeAt = Ticker.NEVER;

    Withdrawing(Requests requests, Effects effects) {
        this.requests = requests;
        this.effects = effects;
    }

    /** Returns when a waiter came that comes now: after those that are being told of a failure. */
    long afterDismissal(long now) {
        Dismissal pending = dismissal;
        return pending == null ? now : Math.max(now, pending.until + 1);
    }

    /** Nobody wants that request any more. */
    void undo(Request request) {
        if (request.unanswered() == 0 && !request.known) {
            requests.remove(request); // the server has never heard of it
            return;
        }
        request.state = State.UNDOING;
        request.exchange().giveUpAt = Ticker.NEVER; // it may stand in the queue, and that does not end with any lease
        if (request.isAwaiting() && requests.isFull()) {
            request.exchange().withdrawAgain = true; // when its acquire has been answered
        } else {
            send(request);
        }
    }

    /** A request that is being withdrawn was granted or queued. */
    void again(Request request) {
        if (!request.isAwaiting()) {
            sendNow(request); // others wait for the lock meanwhile
        } else {
            request.exchange().withdrawAgain = true;
        }
    }

    /** The backend speaks of a request of this client that is unknown here. */
    void stray(long number) {
        Request request = unwanted(number, 0);
        request.exchange().giveUpAt = Ticker.NEVER;
        sendNow(request); // others wait for the lock meanwhile
    }

    /** The backend may have lost that it was released. */
    void releaseAgain(long number, long lastToken) {
        undo(unwanted(number, lastToken));
    }

    private Request unwanted(long number, long lastToken) {
        Request request = Request.unwanted(effects, number, lastToken);
        requests.add(request, effects.timing().underWay());
        return request;
    }

    /** Sends the withdrawal as soon as it may be sent. */
    void send(Request request) {
        if (requests.admits(request)) {
            sendNow(request);
        }
    }

    void sendNow(Request request) {
        Command.Withdraw withdraw = new Command.Withdraw(effects.lock(), request.id(), request.lastToken);
        request.exchange().withdrawAgain = false;
        request.sent(withdraw, effects.now());
        effects.send(withdraw);
    }

    /** The answer; returns the request if the backend had forgotten that it knew it. */
    @Nullable
    Request withdrawn(Command.Withdraw withdraw, Reply.Withdrawn answer) {
        nudgeAfter(answer.claimMillis());
        Request request = requests.get(effects.number(withdraw.request()));
        if (request == null || request.state != State.UNDOING || !request.answeredTo(withdraw)) {
            return null;
        }
        boolean forgotten = request.standing && !answer.known();
        request.standing = false;
        Pending exchange = request.exchange();
        exchange.failures = 0;
        ServerTime server = answer.server();
        if (exchange.withdrawAgain) {
            sendNow(request);
        } else if (request.isTainted(server, effects.now())) {
            exchange.dueAt = effects.now() + request.staleIn(server, effects.now()) + MILLI;
        } else {
            requests.remove(request);
        }
        return forgotten ? request : null;
    }

    /** The backend refuses for good: when all that was asked for has ended, there is nothing to do any more. */
    void refused(String id, BackendException cause, long commandTimeout) {
        Request request = requests.get(effects.number(id));
        if (request != null
                && request.state == State.UNDOING
                && request.exchange().giveUpAt == Ticker.NEVER
                && !cause.isRetryable()) {
            request.exchange().giveUpAt = request.nothingLeft(effects.now(), commandTimeout);
        }
    }

    // ================================================================ nudging

    /** The lock was given to somebody who has so much time to confirm it; he may be gone. */
    void nudgeAfter(long claimMillis) {
        if (claimMillis == Reply.AGAIN) {
            nudge();
        } else if (claimMillis > 0) {
            nudgeAt = effects.now() + (claimMillis + 1) * MILLI;
        }
    }

    /** It was not answered: the connection broke. */
    void nudgeFailed() {
        nudgeAt = Math.min(nudgeAt, effects.now() + NUDGE_AGAIN);
    }

    /** The lock was heard of: whoever is in charge of it now looks after it. */
    void heard() {
        nudgeAt = Ticker.NEVER;
    }

    long nudgeAt() {
        return nudgeAt;
    }

    void tick(long now) {
        if (now >= nudgeAt) {
            nudge();
        }
    }

    private void nudge() {
        nudgeAt = Ticker.NEVER;
        effects.send(new Command.Withdraw(effects.lock(), null, 0));
    }
}
