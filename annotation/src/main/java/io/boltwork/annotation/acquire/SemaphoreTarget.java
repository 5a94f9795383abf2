// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation.acquire;

import io.boltwork.Lease;
import io.boltwork.LeasedSemaphore;
import io.boltwork.LockOwner;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One permit of a semaphore. It belongs to a handle, never to a thread. */
record SemaphoreTarget(LeasedSemaphore semaphore) implements LockTarget {

    @Override
    public TargetKind kind() {
        return TargetKind.SEMAPHORE;
    }

    @Override
    public String name() {
        return semaphore.name();
    }

    @Override
    public @Nullable LockOwner owner() {
        return null;
    }

    @Override
    public LockTarget ownedBy(LockOwner owner) {
        return this;
    }

    @Override
    public @Nullable TakenLock take(@Nullable Duration wait, boolean byHandle) throws InterruptedException {
        Lease lease = wait == null
                ? semaphore.acquireInterruptibly(1)
                : semaphore.tryAcquire(wait).orElse(null);
        return lease == null ? null : new TakenLock(this, lease);
    }

    @Override
    public CompletionStage<?> callAsync(Duration wait, Function<Lease, CompletionStage<@Nullable Void>> body) {
        return semaphore.callAsync(wait, body);
    }

    @Override
    public void unlock() {
        throw new IllegalStateException("A permit is released through its lease");
    }

    @Override
    public @Nullable Lease currentLease() {
        return null;
    }

    @Override
    public int holdCount() {
        return 0;
    }
}
