// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.client;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A task for a user's executor. It runs once, even if the executor refuses it, or throws before or after running it.
 * Thread-safe.
 */
final class ExecutorTask extends AtomicBoolean implements Runnable {
    private static final long serialVersionUID = 1;
    private static final System.Logger LOG = System.getLogger("io.boltwork");

    private final transient Runnable task;

    private ExecutorTask(Runnable task) {
        this.task = task;
    }

    /** Passes a task to {@code executor}, or to {@code otherwise} if the first one throws. Does not throw itself. */
    static void send(Runnable task, Executor executor, Executor otherwise) {
        ExecutorTask once = new ExecutorTask(task);
        try {
            executor.execute(once);
        } catch (RejectedExecutionException closed) {
            LOG.log(System.Logger.Level.DEBUG, "An executor for callbacks no longer accepts tasks", closed);
            otherwise.execute(once);
        } catch (Throwable broken) { // perhaps no thread could be started
            LOG.log(System.Logger.Level.WARNING, "An executor for callbacks threw; the lock is not affected", broken);
            otherwise.execute(once);
        }
    }

    @Override
    public void run() {
        if (compareAndSet(false, true)) {
            task.run();
        }
    }
}
