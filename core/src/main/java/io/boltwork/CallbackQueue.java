package io.boltwork;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;

/** Runs callbacks on an executor one after the other, in order. They may throw, block and use locks. Thread-safe. */
final class CallbackQueue {

    private static final System.Logger LOG = System.getLogger("io.boltwork");

    private final Executor executor;
    private final ConcurrentLinkedQueue<Runnable> queue = new ConcurrentLinkedQueue<>();
    private final AtomicInteger waiting = new AtomicInteger();

    CallbackQueue(Executor executor) {
        this.executor = executor;
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
