// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.console;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A page that is open somewhere, with the events that it has not got yet. A newer event replaces an older one of the
 * same name, so a slow page misses looks instead of filling the memory.
 */
final class OpenPage {
    private final View view;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private Map<String, String> pending = new LinkedHashMap<>();
    private boolean closed;

    OpenPage(View view) {
        this.view = view;
    }

    View view() {
        return view;
    }

    /** Adds an event. */
    void put(String event, String json) {
        lock.lock();
        try {
            pending.put(event, json);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Takes the events, by name. Waits for some until the time is over. Returns none if it is, or if the console ends.
     */
    Map<String, String> take(Duration patience) throws InterruptedException {
        lock.lock();
        try {
            long left = patience.toNanos();
            while (pending.isEmpty() && !closed && left > 0) {
                left = changed.awaitNanos(left);
            }
            Map<String, String> taken = pending;
            pending = new LinkedHashMap<>();
            return taken;
        } finally {
            lock.unlock();
        }
    }

    boolean isClosed() {
        lock.lock();
        try {
            return closed;
        } finally {
            lock.unlock();
        }
    }

    void close() {
        lock.lock();
        try {
            closed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public String toString() {
        return "OpenPage[" + view.event() + "]";
    }
}
