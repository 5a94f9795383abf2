// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.locks;

import io.boltwork.FencedLock;
import io.boltwork.spi.Durations;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * The forms of an acquisition of a lock, by {@code lock} or by a lease.
 *
 * @param <W> the terms of the lock, or of each of several locks
 */
public abstract class LockForms<W> extends LeaseForms implements FencedLock {

    /** Returns the terms of the lock's options. */
    protected abstract W terms();

    /** Returns the same terms with a fixed lease. */
    protected abstract W terms(Duration lease);

    /**
     * Acquires the lock for the current thread, which unlocks it. Returns whether the thread has the lock.
     *
     * @param nanos the longest time to wait; {@link #FOR_EVER} without a limit
     */
    protected abstract boolean enter(W with, long nanos, boolean interruptible) throws InterruptedException;

    @Override
    public void lock() {
        enterUninterruptibly(terms(), FOR_EVER);
    }

    @Override
    public void lock(Duration lease) {
        enterUninterruptibly(terms(lease), FOR_EVER);
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        checkInterrupt();
        enter(terms(), FOR_EVER, true);
    }

    @Override
    public boolean tryLock() {
        return enterUninterruptibly(terms(), NOT_AT_ALL);
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        checkInterrupt();
        return enter(terms(), Math.max(NOT_AT_ALL, unit.toNanos(time)), true);
    }

    @Override
    public boolean tryLock(Duration wait, Duration lease) throws InterruptedException {
        W fixed = terms(lease);
        long nanos = Durations.nanos("wait", wait);
        checkInterrupt();
        return enter(fixed, nanos, true);
    }

    private boolean enterUninterruptibly(W with, long nanos) {
        try {
            return enter(with, nanos, false);
        } catch (InterruptedException impossible) {
            throw new AssertionError(impossible);
        }
    }
}
