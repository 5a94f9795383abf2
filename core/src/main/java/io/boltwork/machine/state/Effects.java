// SPDX-License-Identifier: Apache-2.0
package io.boltwork.machine.state;

import io.boltwork.machine.LockMachine;
import io.boltwork.machine.request.ClientEffects;
import io.boltwork.machine.request.LockContext;
import io.boltwork.machine.request.Request;
import io.boltwork.spi.Command;

/**
 * The environment of a {@link LockMachine}: everything outside of the machine that it can observe or cause. No method
 * blocks or throws.
 */
public interface Effects extends LockContext, ClientEffects {

    /** Returns the number of a new request of this client. */
    long newRequest();

    /**
     * Returns how much time the client's clock is known to have missed since a moment, because the machine was
     * suspended.
     */
    long missedSince(long moment);

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

    /** Returns whether a lease that is about to end may be logged as a warning now, so that few of many are. */
    default boolean mayWarnOfRenewals() {
        return true;
    }

    /** Called when the server has answered that it has released a request, or withdrawn it. */
    void released(Request request);
}
