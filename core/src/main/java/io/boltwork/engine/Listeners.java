package io.boltwork.engine;

import io.boltwork.LockListener;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The listeners of a client and their executors. Thread-safe. */
final class Listeners {

    private static final System.Logger LOG = System.getLogger("io.boltwork");

    /** A listener. Without an executor, it is called among the other callbacks. */
    private record Entry(LockListener listener, @Nullable Executor executor) {}

    private final CopyOnWriteArrayList<Entry> entries = new CopyOnWriteArrayList<>();

    void add(LockListener listener) {
        add(listener, null);
    }

    void add(LockListener listener, @Nullable Executor executor) {
        entries.add(new Entry(listener, executor));
    }

    /** Removes a listener once, if it is there. */
    void remove(LockListener listener) {
        for (Entry entry : entries) {
            if (entry.listener.equals(listener) && entries.remove(entry)) {
                return;
            }
        }
    }

    /** Returns a copy with the present listeners. */
    Listeners copy() {
        Listeners copy = new Listeners();
        copy.entries.addAll(entries);
        return copy;
    }

    boolean isEmpty() {
        return entries.isEmpty();
    }

    /** Calls each listener on its executor, and those without an executor by {@code callbacks}. */
    void tell(Consumer<LockListener> event, Executor callbacks) {
        boolean anyWithoutExecutor = false;
        for (Entry entry : entries) {
            if (entry.executor == null) {
                anyWithoutExecutor = true;
                continue;
            }
            ExecutorTask.send(() -> tell(entry, event), entry.executor, callbacks);
        }
        if (anyWithoutExecutor) {
            callbacks.execute(() -> tell(event));
        }
    }

    /** Calls all listeners without an executor on this thread. If one throws, the others are called all the same. */
    private void tell(Consumer<LockListener> event) {
        for (Entry entry : entries) {
            if (entry.executor == null) {
                tell(entry, event);
            }
        }
    }

    private static void tell(Entry entry, Consumer<LockListener> event) {
        try {
            event.accept(entry.listener);
        } catch (Throwable thrown) {
            LOG.log(System.Logger.Level.WARNING, "A listener threw; the lock is not affected", thrown);
        }
    }
}
