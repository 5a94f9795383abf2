// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation.acquire;

import io.boltwork.Lease;
import io.boltwork.LockOwner;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The object that a call acquires: a lock, a side of a read-write lock, or a permit of a semaphore. Equal by kind and
 * name.
 */
public sealed interface LockTarget permits FencedTarget, SemaphoreTarget {

    TargetKind kind();

    String name();

    /**
     * Acquires the target, for this thread or for a handle; returns {@code null} if refused.
     *
     * @param wait the maximum time to wait; {@code null} for no limit
     */
    @Nullable
    TakenLock take(@Nullable Duration wait, boolean byHandle) throws InterruptedException;

    /** Returns the owner of what is acquired; {@code null} if it belongs to the thread or to its handle. */
    @Nullable
    LockOwner owner();

    /** Returns the same target for an owner, if it can have one. */
    LockTarget ownedBy(LockOwner owner);

    /** Executes an asynchronous action under a hold that belongs to no thread. */
    CompletionStage<?> callAsync(Duration wait, Function<Lease, CompletionStage<@Nullable Void>> body);

    /** Releases a hold of this thread. */
    void unlock();

    /** Returns a view of this thread's hold; {@code null} if there is none. */
    @Nullable
    Lease currentLease();

    /** Returns how many times this thread holds the target. */
    int holdCount();
}
