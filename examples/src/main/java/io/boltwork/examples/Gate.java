// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import io.boltwork.BackendException;
import io.boltwork.FencedLock;
import io.boltwork.Lease;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** The gate before a purchase, which each buyer must pass. */
interface Gate {
    /** The result if the lock was lost; smaller than any token. */
    long LOST = -1;

    /** Waits for the buyer's turn. Returns {@code false} if the turn did not come in time. */
    boolean enter() throws InterruptedException;

    /** Returns the fencing token of the turn, 0 if there is none, {@link #LOST} if the lock was lost. */
    long token();

    void leave();

    private static long tokenOf(FencedLock lock) {
        return lock.currentLease().map(Lease::fencingToken).orElse(LOST);
    }

    static Gate of(SaleMode mode, FencedLock lock, Duration wait) {
        return switch (mode) {
            case NONE -> new OpenGate();
            case LOCK -> new LockGate(lock);
            case TRYLOCK -> new TimedGate(lock, wait);
        };
    }

    /** Admits all buyers at once. */
    final class OpenGate implements Gate {
        @Override
        public boolean enter() {
            return true;
        }

        @Override
        public long token() {
            return 0;
        }

        @Override
        public void leave() {}
    }

    /** Admits one buyer at a time. */
    final class LockGate implements Gate {
        private final FencedLock lock;

        LockGate(FencedLock lock) {
            this.lock = lock;
        }

        @Override
        public boolean enter() {
            lock.lock();
            return true;
        }

        @Override
        public long token() {
            return tokenOf(lock);
        }

        @Override
        public void leave() {
            lock.unlock();
        }
    }

    /** Admits one buyer at a time, if the turn comes in time. */
    final class TimedGate implements Gate {
        private final FencedLock lock;
        private final Duration wait;

        TimedGate(FencedLock lock, Duration wait) {
            this.lock = lock;
            this.wait = wait;
        }

        @Override
        public boolean enter() throws InterruptedException {
            try {
                return lock.tryLock(wait.toNanos(), TimeUnit.NANOSECONDS);
            } catch (BackendException e) {
                return false; // no answer in that time: the buyer does not have the lock, and leaves
            }
        }

        @Override
        public long token() {
            return tokenOf(lock);
        }

        @Override
        public void leave() {
            lock.unlock();
        }
    }
}
