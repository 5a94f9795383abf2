package io.boltwork;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Runs callbacks, listeners among them, on an executor one after the other, in order. They may throw, block and use locks. Thread-safe. */
final class CallbackQueue {

    private static final System.Logger LOG = System.getLogger("io.boltwork");

    private static final AtomicIntegerFieldUpdater<CallbackQueue> WAITING =
            AtomicIntegerFieldUpdater.newUpdater(CallbackQueue.class, "waiting");

    private final Executor executor;
    private final Listeners listeners;
    private volatile int waiting;

    /** Made for the first callback: most locks never have one. */
    private volatile @Nullable Queue<Runnable> queue;

    CallbackQueue(Executor executor, Listeners listeners) {
        this.executor = executor;
        this.listeners = listeners;
    }

    /** Whether anybody listens; else there is no need to tell anything. */
    boolean isHeard() {
        return !listeners.isEmpty();
    }

    /** Tells the client's listeners, in order with the other callbacks or on executors of their own. */
    void tell(Consumer<LockListener> event) {
        listeners.tell(event, this);
    }

    void run(Runnable callback) {
        queue().add(callback);
        if (WAITING.getAndIncrement(this) == 0) {
            start();
        }
    }

    private Queue<Runnable> queue() {
        Queue<Runnable> made = queue;
        if (made == null) {
            synchronized (this) { // nothing in here blocks
                made = queue;
                if (made == null) {
                    made = new ConcurrentLinkedQueue<>();
                    queue = made;
                }
            }
        }
        return made;
    }

    boolean isEmpty() {
        return waiting == 0;
    }

    private void start() {
        // here if the executor does not: told late is worse than told on the wrong thread
        Errand.send(this::drain, executor, Runnable::run);
    }

    private void drain() {
        Queue<Runnable> callbacks = queue();
        do {
            Runnable callback = callbacks.poll();
            try {
                if (callback != null) {
                    callback.run();
                }
            } catch (Throwable thrown) { // the callback's own affair; the next ones must run
                LOG.log(System.Logger.Level.WARNING, "A callback threw; the lock is not affected", thrown);
            }
        } while (WAITING.decrementAndGet(this) > 0);
    }
}
