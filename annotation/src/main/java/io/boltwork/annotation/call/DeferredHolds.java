// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation.call;

import io.boltwork.annotation.acquire.LockTarget;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/*
 * A method whose return type does not say that its result comes later acquires its lock for the calling thread. When
 * the method has returned a stage, the thread has left the method but still holds the lock. Without this class, the
 * thread's next call would reenter the hold while the earlier work is still going on.
 */
/** Holds of threads that have left the method because its result comes later. Thread-safe. */
final class DeferredHolds {

    private record Key(Thread thread, LockTarget target) {}

    private final Map<Key, Integer> counts = new ConcurrentHashMap<>();

    /** Makes releasing a hold and decrementing its count one step. */
    private final ReentrantLock leaving = new ReentrantLock();

    /** Records that this thread leaves a hold of the lock to work that continues. The returned action undoes this. */
    Runnable begin(LockTarget target) {
        Key key = new Key(Thread.currentThread(), target);
        counts.merge(key, 1, Integer::sum);
        return () -> counts.computeIfPresent(key, (same, count) -> count == 1 ? null : count - 1);
    }

    /** Releases such a hold. */
    CompletionStage<Void> end(Runnable counted, Supplier<CompletionStage<Void>> release) {
        leaving.lock();
        try {
            return release.get();
        } finally {
            counted.run();
            leaving.unlock();
        }
    }

    /** Returns whether all holds of the lock by this thread belong to work that goes on elsewhere. */
    boolean isAllLater(LockTarget target) {
        if (counts.isEmpty()) {
            return false;
        }
        leaving.lock();
        try {
            Integer later = counts.get(new Key(Thread.currentThread(), target));
            return later != null && target.holdCount() <= later;
        } finally {
            leaving.unlock();
        }
    }
}
