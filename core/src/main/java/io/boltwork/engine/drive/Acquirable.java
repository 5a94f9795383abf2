// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.drive;

import io.boltwork.Lease;
import io.boltwork.machine.request.Hold;
import io.boltwork.machine.request.Waiter;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The place where callers wait for a lock of one name: its machine. */
public interface Acquirable {

    /** Returns the name of the lock. */
    String name();

    /** Returns the key of the machine that decides. */
    public Object key();

    /** Requests the lock. The waiter's outcome is decided now or later. */
    public void request(Waiter waiter);

    /** Cancels a waiter, unless its outcome is decided. */
    public void cancel(Waiter waiter, boolean timedOut);

    /** Lets the machine check that it knows a waiter, and notes that it has done so. */
    public void lookAfter(Waiter waiter, Runnable looked);

    /** Returns whether a hold is one of this lock. */
    public boolean isOf(Hold hold);

    /** Returns whether the owner may have a hold already. Does not block. */
    default boolean mayBeOwn() {
        return false;
    }

    /**
     * Enters the hold that the owner has already by a lease. Returns the result that is made from the lease, or
     * {@code null} if there is no hold.
     *
     * @param tryOnly whether the caller does not want to wait
     */
    default <T> @Nullable T enterOwn(boolean tryOnly, Function<? super Lease, T> result) {
        return null;
    }
}
