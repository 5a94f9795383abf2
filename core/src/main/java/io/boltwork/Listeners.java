package io.boltwork;

import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** Who listens to a client. Thread-safe. */
final class Listeners {

    private static final System.Logger LOG = System.getLogger("io.boltwork");

    private final CopyOnWriteArrayList<LockListener> listeners = new CopyOnWriteArrayList<>();

    void add(LockListener listener) {
        listeners.add(listener);
    }

    void remove(LockListener listener) {
        listeners.remove(listener);
    }

    /** Those who listen just now. */
    Listeners copy() {
        Listeners copy = new Listeners();
        copy.listeners.addAll(listeners);
        return copy;
    }

    boolean isEmpty() {
        return listeners.isEmpty();
    }

    /** Tells all of them, here and now; what one throws is no other's affair. */
    void tell(Consumer<LockListener> event) {
        for (LockListener listener : listeners) {
            try {
                event.accept(listener);
            } catch (Throwable thrown) {
                LOG.log(System.Logger.Level.WARNING, "A listener threw; the lock is not affected", thrown);
            }
        }
    }
}
