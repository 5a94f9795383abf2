package io.boltwork.memory;

import java.util.ArrayDeque;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Delivers messages one after the other, in the order in which they were put, without a lock held. Whoever finds
 * messages delivers them; what a receiver causes in turn waits until it has returned, so nothing recurses.
 */
final class Outbox {
    private final ReentrantLock lock = new ReentrantLock();
    private final ArrayDeque<Runnable> messages = new ArrayDeque<>();
    private boolean delivering;

    void put(Runnable message) {
        lock.lock();
        try {
            messages.add(message);
        } finally {
            lock.unlock();
        }
    }

    /** Delivers what is there, unless another call is at it already. */
    void deliver() {
        for (Runnable message = take(false); message != null; message = take(true)) {
            try {
                message.run();
            } catch (RuntimeException e) { // must not hit the innocent client whose step delivers
                Thread thread = Thread.currentThread();
                thread.getUncaughtExceptionHandler().uncaughtException(thread, e);
            } catch (Error e) {
                stop();
                throw e;
            }
        }
    }

    private @Nullable Runnable take(boolean mine) {
        lock.lock();
        try {
            if (delivering && !mine) {
                return null;
            }
            Runnable message = messages.poll();
            delivering = message != null;
            return message;
        } finally {
            lock.unlock();
        }
    }

    private void stop() {
        lock.lock();
        try {
            delivering = false;
        } finally {
            lock.unlock();
        }
    }
}
