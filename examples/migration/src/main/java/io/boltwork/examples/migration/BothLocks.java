// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.migration;

import io.boltwork.FencedLock;
import io.boltwork.Lease;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.redisson.api.RLock;

/**
 * Redisson's lock and Boltwork's lock of one name, taken together. It excludes services that take one of them,
 * whichever, and services that take both. It does not make services with only one of them exclude each other.
 */
final class BothLocks {
    private final RLock old;
    private final FencedLock lock;

    BothLocks(RLock old, FencedLock lock) {
        this.old = old;
        this.lock = lock;
    }

    // @start region="both"
    /** Takes Redisson's lock first and Boltwork's second. The order must be the same in all services. */
    void run(Consumer<Lease> work) {
        old.lock();
        try (Lease lease = lock.acquire()) {
            work.accept(lease);
        } finally {
            old.unlock();
        }
    }
    // @end

    /** The same with a limit for both waits together. Returns whether the work was done. */
    boolean tryRun(Duration wait, Consumer<Lease> work) throws InterruptedException {
        long end = System.nanoTime() + wait.toNanos();
        if (!old.tryLock(wait.toMillis(), TimeUnit.MILLISECONDS)) {
            return false;
        }
        try {
            Optional<Lease> taken = lock.tryAcquire(Duration.ofNanos(end - System.nanoTime()));
            if (taken.isEmpty()) {
                return false;
            }
            try (Lease lease = taken.get()) {
                work.accept(lease);
                return true;
            }
        } finally {
            old.unlock();
        }
    }
}
