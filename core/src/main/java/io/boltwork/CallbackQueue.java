package io.boltwork;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

/** Runs callbacks, listeners among them, on an executor one after the other, in order. They may throw, block and use locks. Thread-safe. */
final class CallbackQueue {

    private static final System.Logger LOG = System.getLogger("io.boltwork");

    private static final AtomicIntegerFieldUpdater<CallbackQueue> WAITING =
            AtomicIntegerFieldUpdater.newUpdater(CallbackQueue.class, "waiting");

    private final Executor executor;
    private final Queue<Runnable> queue = new ConcurrentLinkedQueue<>();
    private volatile int waiting;

    CallbackQueue(Executor executor) {
        this.executor = executor;
    }

    void run(Runnable callback) {
        queue.add(callback);
        if (WAITING.getAndIncrement(this) == 0) {
            start();
        }
    }

    boolean isEmpty() {
        return waiting == 0;
    }

    private void start() {
        // here if the executor does not: told late is worse than told on the wrong thread
        Errand.send(this::drain, executor, Runnable::run);
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
        } while (WAITING.decrementAndGet(this) > 0);
    }
}
