// SPDX-License-Identifier: Apache-2.0
package io.boltwork.machine.state;

import io.boltwork.machine.LockMachine;
import io.boltwork.machine.request.LockContext;
import io.boltwork.machine.request.LockTiming;
import io.boltwork.machine.request.Promise;
import io.boltwork.machine.request.Request;
import io.boltwork.spi.Command;
import io.boltwork.spi.rules.ServerClock;

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
    long renew(Request request, Command.Renew.Item item, boolean tacit);

    /** Called when the lock is retained from now on, so that the client can limit the number of retained locks. */
    default void retains() {}

    /** Called when a lease was lost while it was retained. No owner had it, so there is no event. */
    default void retainedLost() {}

    /** Called when a request was released for good. */
    void released(Request request);

    /** Decides an outcome. A thread that sleeps on it is woken after the drain. */
    <T> void decide(Promise<T> outcome, T value);
}
