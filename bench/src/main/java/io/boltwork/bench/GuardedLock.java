// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench;

/**
 * A lock, a read lock or a permit, and the slot of the {@link ExclusionBoard} that it guards. Not thread-safe: each
 * thread has its own.
 */
abstract class GuardedLock {
    private final BenchLock lock;

    private GuardedLock(BenchLock lock) {
        this.lock = lock;
    }

    /** Returns a lock that a thread holds alone. */
    static GuardedLock alone(BenchLock lock, ExclusionBoard board, int slot, long thread) {
        return new GuardedLock(lock) {
            @Override
            void enter() {
                board.enter(slot, thread);
            }

            @Override
            void exit() {
                board.exit(slot, thread);
            }
        };
    }

    /** Returns a lock that excludes writers only. It makes no entries. */
    static GuardedLock reading(BenchLock lock, ExclusionBoard board, int slot) {
        return new GuardedLock(lock) {
            private long begun;

            @Override
            void enter() {
                begun = board.beginReading(slot);
            }

            @Override
            void exit() {
                board.endReading(slot, begun);
            }

            @Override
            boolean isReading() {
                return true;
            }
        };
    }

    /** Returns one of a number of permits. */
    static GuardedLock among(int permits, BenchLock permit, ExclusionBoard board, int slot) {
        return new GuardedLock(permit) {
            @Override
            void enter() {
                board.enterAmong(slot, permits);
            }

            @Override
            void exit() {
                board.exitAmong(slot);
            }
        };
    }

    final void lock() {
        lock.lock();
    }

    final void unlock() {
        lock.unlock();
    }

    /** Must be called while the lock is held. */
    abstract void enter();

    /** Must be called before the lock is released. */
    abstract void exit();

    /** Returns whether the lock excludes writers only. */
    boolean isReading() {
        return false;
    }
}
