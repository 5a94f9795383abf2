package io.boltwork;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** Runs callbacks, listeners among them, on an executor one after the other, in order. They may throw, block and use locks. Thread-safe. */
final class CallbackQueue {

    private static final System.Logger LOG = System.getLogger("io.boltwork");

    private final Executor executor;
    private final Listeners listeners;
    private final ConcurrentLinkedQueue<Runnable> queue = new ConcurrentLinkedQueue<>();
    private final AtomicInteger waiting = new AtomicInteger();

    CallbackQueue(Executor executor, Listeners listeners) {
        this.executor = executor;
        this.listeners = listeners;
    }

    /** Whether anybody listens; else there is no need to tell anything. */
    boolean isHeard() {
        return !listeners.isEmpty();
    }

    /** Tells the client's listeners, in order with the other callbacks. */
    void tell(Consumer<LockListener> event) {
        run(() -> listeners.tell(event));
    }

    void run(Runnable callback) {
        queue.add(callback);
        if (waiting.getAndIncrement() == 0) {
            start();
        }
    }

    boolean isEmpty() {
        return waiting.get() == 0;
    }

    private void start() {
        try {
            executor.execute(this::drain);
        } catch (RejectedExecutionException refused) {
            // after close(), or by a user's executor: told late is worse than told on the wrong thread
            LOG.log(System.Logger.Level.DEBUG, "The callback executor takes nothing any more", refused);
            drain();
        }
    }

    private void drain() {
        do {
            Runnable callback = queue.poll();
            try {
                if (callback != null) {
                    callback.run();
                }
            } catch (Throwable thrown) { // the callback's own affair; the next ones must run
                LOG.log(System.Logger.Level.WARNING, "A callback threw; the lock is not affected", thrown);
            }
        } while (waiting.decrementAndGet() > 0);
    }
}
