// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.contender;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/** A hand-written lock that asks, sleeps and asks again. */
public abstract class RetryingLock implements BenchLock {
    private final Duration least;
    private final Duration most;

    public RetryingLock(Duration least, Duration most) {
        this.least = least;
        this.most = most;
    }

    /** Asks for the lock once. */
    public abstract boolean acquire();

    @Override
    public final void lock() {
        try {
            while (!acquire()) {
                TimeUnit.NANOSECONDS.sleep(pause());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted", e);
        }
    }

    @Override
    public final boolean tryLock(Duration wait) throws InterruptedException {
        long end = System.nanoTime() + wait.toNanos();
        while (!acquire()) {
            if (System.nanoTime() - end >= 0) {
                return false;
            }
            TimeUnit.NANOSECONDS.sleep(pause());
        }
        return true;
    }

    private long pause() {
        return ThreadLocalRandom.current().nextLong(least.toNanos(), most.toNanos() + 1);
    }
}
