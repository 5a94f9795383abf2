package io.boltwork.spring;

import io.boltwork.FencedLock;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/*
 * A method whose type does not say that its result comes later takes its lock by its thread. When it has returned a stage, the
 * thread is out of the method, but the hold is still the thread's: without this, its next call would enter the hold again beside
 * the work that goes on.
 */
/** Holds of threads that have left the method, because its result comes later. Thread-safe. */
final class LaterHolds {

    private record Key(Thread thread, FencedLock lock) {}

    private final Map<Key, Integer> counts = new ConcurrentHashMap<>();

    /** Guards that a hold is left and counted out at once. */
    private final ReentrantLock leaving = new ReentrantLock();

    /** This thread leaves a hold of the lock to work that goes on. */
    Runnable begin(FencedLock lock) {
        Key key = new Key(Thread.currentThread(), lock);
        counts.merge(key, 1, Integer::sum);
        return () -> counts.computeIfPresent(key, (same, count) -> count == 1 ? null : count - 1);
    }

    /** Gives such a hold back. */
    CompletionStage<Void> end(Runnable counted, Supplier<CompletionStage<Void>> release) {
        leaving.lock();
        try {
            return release.get();
        } finally {
            counted.run();
            leaving.unlock();
        }
    }

    /** Returns whether all that this thread holds of the lock is work that goes on elsewhere. */
    boolean isAllLater(FencedLock lock) {
        if (counts.isEmpty()) {
            return false;
        }
        leaving.lock();
        try {
            Integer later = counts.get(new Key(Thread.currentThread(), lock));
            return later != null && lock.holdCount() <= later;
        } finally {
            leaving.unlock();
        }
    }
}
