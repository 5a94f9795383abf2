// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.client;

import static io.boltwork.spi.PrintableLog.LOG;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

/**
 * Runs callbacks, including listeners, on an executor one after the other, in order. They may throw, block and use
 * locks. Thread-safe.
 */
public final class CallbackQueue {

    private static final AtomicIntegerFieldUpdater<CallbackQueue> WAITING =
            AtomicIntegerFieldUpdater.newUpdater(CallbackQueue.class, "waiting");

    private static final AtomicIntegerFieldUpdater<CallbackQueue> STOPPED =
            AtomicIntegerFieldUpdater.newUpdater(CallbackQueue.class, "stopped");

    private final Executor executor;
    private final ErrorFlag errorFlag;
    private final Queue<Runnable> queue = new ConcurrentLinkedQueue<>();
    private volatile int waiting;

    /** 1 after an error has cut the drain short, until another thread resumes it; else 0. */
    private volatile int stopped;

    public CallbackQueue(Executor executor) {
        this(executor, new ErrorFlag());
    }

    /** Creates an empty queue. {@code errorFlag} is raised when an error has stopped it. */
    public CallbackQueue(Executor executor, ErrorFlag errorFlag) {
        this.executor = executor;
        this.errorFlag = errorFlag;
    }

    /** Runs a callback after the earlier ones. */
    public void run(Runnable callback) {
        queue.add(callback);
        boolean own = false;
        try {
            own = WAITING.getAndIncrement(this) == 0;
            if (own) {
                start();
            }
        } catch (Throwable cut) { // at the entry of start(), which does not throw otherwise
            errorFlag.cause = cut;
            errorFlag.raised = true;
            if (own) {
                stopped = 1; // the last act: now another thread may run the queue
            }
        }
    }

    public boolean isEmpty() {
        return waiting == 0;
    }

    /** Resumes a drain that an error has cut short. Without effect if there is none. */
    public void resume() {
        boolean own = false;
        try {
            own = stopped != 0 && STOPPED.compareAndSet(this, 1, 0);
            if (own) {
                start();
            }
        } catch (Throwable cut) {
            errorFlag.cause = cut;
            errorFlag.raised = true;
            if (own) {
                stopped = 1;
            }
        }
    }

    private void start() {
        try {
            // on this thread if the executor fails: a lost callback is worse than one on the wrong thread
            OtherThreadExecutor.send(this::drain, executor, Runnable::run);
        } catch (Throwable cut) { // the drain does not throw
            errorFlag.cause = cut;
            errorFlag.raised = true;
            stopped = 1; // the last act: now another thread may run the queue
        }
    }

    private void drain() {
        try {
            do {
                Runnable callback = queue.poll();
                try {
                    if (callback != null) {
                        callback.run();
                    }
                } catch (Throwable thrown) { // must not keep the next callbacks from running
                    LOG.log(System.Logger.Level.WARNING, "A callback threw; the lock is not affected", thrown);
                }
            } while (WAITING.decrementAndGet(this) > 0);
        } catch (Throwable cut) {
            errorFlag.cause = cut;
            errorFlag.raised = true;
            stopped = 1;
        }
    }
}
