// SPDX-License-Identifier: Apache-2.0
package io.boltwork.machine.state;

import io.boltwork.LockException;
import io.boltwork.machine.LockMachine;
import io.boltwork.machine.request.Hold;
import io.boltwork.machine.request.LockContext;
import io.boltwork.machine.request.LockTiming;
import io.boltwork.machine.request.Promise;
import io.boltwork.machine.request.Request;
import io.boltwork.machine.request.Waiter;
import io.boltwork.spi.Command;
import io.boltwork.spi.Reply;
import io.boltwork.spi.rules.ServerClock;
import org.jspecify.annotations.Nullable;

/**
 * The environment of a {@link LockMachine}: everything outside of the machine that it can observe or cause. No method
 * blocks or throws.
 */
public interface Effects extends LockContext {

    /** Returns the client's timeouts and other limits. */
    LockTiming timing();

    /** Returns the estimate of the server's clock. */
    ServerClock serverClock();

    /** Returns the number of a new request of this client. */
    long newRequest();

    /**
     * Returns how much time the client's clock is known to have missed since a moment, because the machine was
     * suspended.
     */
    long missedSince(long moment);

    /** Returns a random number from 0 to {@code bound - 1}, so that clients do not all act at once. */
    long random(long bound);

    /** Sends a command. Its reply comes back as the event {@link LockMachine#answered}. */
    void send(Command.RequestCommand<?> command);

    /**
     * Sends a renewal, together with others. Its result comes back as {@link LockMachine#renewed}. If the renewal is
     * {@code tacit} and the whole batch succeeds, there is no event, and {@link #renewedAt} returns the time.
     *
     * @return the time at which the batch was begun; no two batches of a client have the same time
     */
    long renew(Command.Renew.Item item, boolean tacit);

    /** Applies the server's answer about a part of a shared lock. */
    default void heard(Reply.Acquired answer) {}

    /**
     * Called when the server has forgotten requests of this client. Other machines of the same shared lock let theirs
     * ask again.
     */
    default void forgotten() {}

    /**
     * Returns the waiter that is served by a grant to {@code asked}, which may stand for others; {@code null} if none
     * wants it any more.
     */
    default @Nullable Waiter served(Waiter asked) {
        return asked;
    }

    /** Adds the hold of a reader, so that its thread finds it. */
    default void reads(Hold reader) {}

    /** Returns whether this is the machine of the writers of a read-write lock, in which no reader asks. */
    default boolean isOfWriters() {
        return false;
    }

    /** Lets a reader wait in another machine of the same read-write lock, because it may not wait in this one. */
    default void elsewhere(Waiter reader) {}

    /** Called when all waiters of the lock are dismissed for that reason. */
    default void dismissed(LockException cause) {}

    /** Called when the lock is retained from now on, so that the client can limit the number of retained locks. */
    default void retains() {}

    /** Called when a lease was lost while it was retained. No owner had it, so there is no event. */
    default void retainedLost() {}

    /** Called when a request was released for good. */
    void released(Request request);

    /** Decides an outcome. A thread that sleeps on it is woken after the drain. */
    <T> void decide(Promise<T> outcome, T value);
}
