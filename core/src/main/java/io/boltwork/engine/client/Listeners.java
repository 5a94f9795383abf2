// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.client;

import static io.boltwork.spi.PrintableLog.LOG;

import io.boltwork.LockListener;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The listeners of a client and their executors. Thread-safe. */
public final class Listeners {

    /** A listener. Without an executor, it is called among the other callbacks. */
    private record Registration(
            LockListener listener, @Nullable Executor executor) {}

    private final CopyOnWriteArrayList<Registration> entries = new CopyOnWriteArrayList<>();

    public void add(LockListener listener) {
        add(listener, null);
    }

    public void add(LockListener listener, @Nullable Executor executor) {
        entries.add(new Registration(listener, executor));
    }

    /** Removes a listener once, if it is there. */
    public void remove(LockListener listener) {
        for (Registration entry : entries) {
            if (entry.listener.equals(listener) && entries.remove(entry)) {
                return;
            }
        }
    }

    /** Returns a copy with the present listeners. */
    public Listeners copy() {
        Listeners copy = new Listeners();
        copy.entries.addAll(entries);
        return copy;
    }

    public boolean isEmpty() {
        return entries.isEmpty();
    }

    /** Calls each listener on its executor, and those without an executor by {@code callbacks}. */
    public void notifyListeners(Consumer<LockListener> event, Executor callbacks) {
        boolean anyWithoutExecutor = false;
        for (Registration entry : entries) {
            if (entry.executor == null) {
                anyWithoutExecutor = true;
                continue;
            }
            OtherThreadExecutor.send(() -> notifyListeners(entry, event), entry.executor, callbacks);
        }
        if (anyWithoutExecutor) {
            callbacks.execute(() -> notifyListeners(event));
        }
    }

    /** Calls all listeners without an executor on this thread. If one throws, the others are called all the same. */
    private void notifyListeners(Consumer<LockListener> event) {
        for (Registration entry : entries) {
            if (entry.executor == null) {
                notifyListeners(entry, event);
            }
        }
    }

    private static void notifyListeners(Registration entry, Consumer<LockListener> event) {
        try {
            event.accept(entry.listener);
        } catch (Throwable thrown) {
            LOG.log(System.Logger.Level.WARNING, "A listener threw; the lock is not affected", thrown);
        }
    }
}
