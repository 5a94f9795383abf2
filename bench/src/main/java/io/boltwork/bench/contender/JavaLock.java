// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.contender;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;

/** A contender's lock that implements {@link Lock}, as most do. */
public record JavaLock(Lock inner) implements BenchLock {
    @Override
    public void lock() {
        inner.lock();
    }

    @Override
    public boolean tryLock(Duration wait) throws InterruptedException {
        return inner.tryLock(wait.toNanos(), TimeUnit.NANOSECONDS);
    }

    @Override
    public void unlock() {
        inner.unlock();
    }
}
