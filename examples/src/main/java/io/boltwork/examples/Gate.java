package io.boltwork.examples;

import io.boltwork.BackendException;
import io.boltwork.FencedLock;
import io.boltwork.Lease;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** What a buyer has to pass before the purchase. */
interface Gate {
    /** Smaller than any token. */
    long LOST = -1;

    /** Waits for the buyer's turn; {@code false} if it did not come in time. */
    boolean enter() throws InterruptedException;

    /** The fencing token of the turn, 0 if there is none, {@link #LOST} if the lock was lost. */
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

    /** Everybody enters at once. */
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

    /** One at a time. */
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

    /** One at a time, for those whose turn comes in time. */
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
                return false; // not even an answer in that time: the buyer does not have the lock, and leaves
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
