package io.boltwork.engine;

import io.boltwork.LockListener;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Who listens to a client, and where. Thread-safe. */
public final class Listeners {

    private static final System.Logger LOG = System.getLogger("io.boltwork");

    /** One listener; told among the other callbacks unless it brought an executor. */
    private record Ear(LockListener listener, @Nullable Executor executor) {}

    private final CopyOnWriteArrayList<Ear> ears = new CopyOnWriteArrayList<>();

    void add(LockListener listener) {
        add(listener, null);
    }

    void add(LockListener listener, @Nullable Executor executor) {
        ears.add(new Ear(listener, executor));
    }

    public void remove(LockListener listener) {
        for (Ear ear : ears) {
            if (ear.listener.equals(listener) && ears.remove(ear)) {
                return;
            }
        }
    }

    /** Those who listen just now. */
    Listeners copy() {
        Listeners copy = new Listeners();
        copy.ears.addAll(ears);
        return copy;
    }

    public boolean isEmpty() {
        return ears.isEmpty();
    }

    /** Tells each on its own executor, and all who have none by {@code callbacks}. */
    void tell(Consumer<LockListener> event, Executor callbacks) {
        boolean isWaitedFor = false;
        for (Ear ear : ears) {
            if (ear.executor == null) {
                isWaitedFor = true;
                continue;
            }
            ExecutorTask.send(() -> tell(ear, event), ear.executor, callbacks);
        }
        if (isWaitedFor) {
            callbacks.execute(() -> tell(event));
        }
    }

    /** Tells all who have no executor, here and now; what one throws is no other's affair. */
    private void tell(Consumer<LockListener> event) {
        for (Ear ear : ears) {
            if (ear.executor == null) {
                tell(ear, event);
            }
        }
    }

    private static void tell(Ear ear, Consumer<LockListener> event) {
        try {
            event.accept(ear.listener);
        } catch (Throwable thrown) {
            LOG.log(System.Logger.Level.WARNING, "A listener threw; the lock is not affected", thrown);
        }
    }
}
