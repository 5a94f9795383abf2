// SPDX-License-Identifier: Apache-2.0
package io.boltwork.memory;

import java.util.ArrayDeque;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Delivers messages one after the other, in their order, without holding a lock. Any caller of {@link #deliver}
 * delivers the messages of all. Messages that a receiver causes are delivered after it has returned, so nothing
 * recurses.
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

    /** Delivers all messages, unless another call is already doing so. */
    void deliver() {
        for (Runnable message = take(false); message != null; message = take(true)) {
            try {
                message.run();
            } catch (RuntimeException e) { // must not affect the client whose step delivers
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
