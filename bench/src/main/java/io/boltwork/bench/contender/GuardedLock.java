// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.contender;

/**
 * A lock, a read lock or a permit, and the slot of the {@link ExclusionBoard} that it guards. Not thread-safe: each
 * thread has its own.
 */
public abstract class GuardedLock {
    private final BenchLock lock;

    private GuardedLock(BenchLock lock) {
        this.lock = lock;
    }

    /** Returns a lock that a thread holds alone. */
    public static GuardedLock alone(BenchLock lock, ExclusionBoard board, int slot, long thread) {
        return new GuardedLock(lock) {
            @Override
            public void enter() {
                board.enter(slot, thread);
            }

            @Override
            public void exit() {
                board.exit(slot, thread);
            }
        };
    }

    /** Returns a lock that excludes writers only. It makes no entries. */
    public static GuardedLock reading(BenchLock lock, ExclusionBoard board, int slot) {
        return new GuardedLock(lock) {
            private long begun;

            @Override
            public void enter() {
                begun = board.beginReading(slot);
            }

            @Override
            public void exit() {
                board.endReading(slot, begun);
            }

            @Override
            public boolean isReading() {
                return true;
            }
        };
    }

    /** Returns one of a number of permits. */
    public static GuardedLock among(int permits, BenchLock permit, ExclusionBoard board, int slot) {
        return new GuardedLock(permit) {
            @Override
            public void enter() {
                board.enterAmong(slot, permits);
            }

            @Override
            public void exit() {
                board.exitAmong(slot);
            }
        };
    }

    public final void lock() {
        lock.lock();
    }

    public final void unlock() {
        lock.unlock();
    }

    /** Must be called while the lock is held. */
    public abstract void enter();

    /** Must be called before the lock is released. */
    public abstract void exit();

    /** Returns whether the lock excludes writers only. */
    public boolean isReading() {
        return false;
    }
}
