// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.contender.own;

import io.boltwork.Lease;
import io.boltwork.LeasedSemaphore;
import io.boltwork.bench.contender.BenchLock;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A permit of Boltwork's semaphore. Not thread-safe. */
final class BoltworkPermit implements BenchLock {
    private final LeasedSemaphore semaphore;
    private @Nullable Lease lease;

    BoltworkPermit(LeasedSemaphore semaphore) {
        this.semaphore = semaphore;
    }

    @Override
    public void lock() {
        lease = semaphore.acquire();
    }

    @Override
    public boolean tryLock(Duration wait) throws InterruptedException {
        lease = semaphore.tryAcquire(wait).orElse(null);
        return lease != null;
    }

    @Override
    public void unlock() {
        Objects.requireNonNull(lease).release();
    }

    @Override
    public boolean isHeld() {
        return lease != null && lease.isValid();
    }
}
