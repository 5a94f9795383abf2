// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation.acquire;

import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LockOwner;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A lock, or a side of a read-write lock. */
public record FencedTarget(TargetKind kind, FencedLock lock) implements LockTarget {

    @Override
    public String name() {
        return lock.name();
    }

    @Override
    public @Nullable LockOwner owner() {
        return lock.owner().orElse(null);
    }

    @Override
    public LockTarget ownedBy(LockOwner owner) {
        return new FencedTarget(kind, lock.ownedBy(owner));
    }

    @Override
    public @Nullable TakenLock take(@Nullable Duration wait, boolean byHandle) throws InterruptedException {
        if (byHandle) {
            Lease lease = wait == null
                    ? lock.acquireInterruptibly()
                    : lock.tryAcquire(wait).orElse(null);
            return lease == null ? null : new TakenLock(this, lease);
        }
        if (wait == null) {
            lock.lockInterruptibly();
        } else if (!lock.tryLock(TimeUnit.NANOSECONDS.convert(wait), TimeUnit.NANOSECONDS)) {
            return null;
        }
        return new TakenLock(this, null);
    }

    @Override
    public CompletionStage<?> callAsync(Duration wait, Function<Lease, CompletionStage<@Nullable Void>> body) {
        return lock.callAsync(wait, body);
    }

    @Override
    public void unlock() {
        lock.unlock();
    }

    @Override
    public @Nullable Lease currentLease() {
        return lock.currentLease().orElse(null);
    }

    @Override
    public int holdCount() {
        return lock.holdCount();
    }
}
