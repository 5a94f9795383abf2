// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.client;

import static io.boltwork.spi.PrintableLog.LOG;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Runs tasks on a user's executor, but never on the thread that hands them over, which may be draining a lock, or be a
 * thread of the timer or of the backend. If the executor runs a task on that thread ({@code CallerRunsPolicy}), refuses
 * it, or throws, a thread of the client runs it. Thread-safe.
 */
public final class OtherThreadExecutor implements Executor {

    private final Executor users;
    private final Executor own;

    public OtherThreadExecutor(Executor users, Executor own) {
        this.users = users;
        this.own = own;
    }

    @Override
    public void execute(Runnable task) {
        send(new Passed(task, Thread.currentThread()), users, own);
    }

    /**
     * Passes a task to {@code executor}, which may run it on this thread, or to {@code otherwise} if the first one
     * throws. Does not throw itself.
     */
    static void send(Runnable task, Executor executor, Executor otherwise) {
        send(new Passed(task, null), executor, otherwise);
    }

    private static void send(Passed passed, Executor executor, Executor otherwise) {
        try {
            executor.execute(passed);
        } catch (RejectedExecutionException closed) {
            LOG.log(System.Logger.Level.DEBUG, "The executor for callbacks no longer accepts tasks", closed);
            passed.returned = true;
        } catch (Throwable broken) { // perhaps no thread could be started
            LOG.log(System.Logger.Level.WARNING, "The executor for callbacks threw; the lock is not affected", broken);
            passed.returned = true;
        } finally {
            passed.giver = null;
        }
        if (passed.returned && passed.begin()) {
            otherwise.execute(passed.task);
        }
    }

    /** A task that was passed to a user's executor. It runs once. */
    private static final class Passed extends AtomicBoolean implements Runnable {
        private static final long serialVersionUID = 1;

        private final transient Runnable task;

        /** The thread that hands the task over and must not run it, while it does so; {@code null} if it may run it. */
        private transient volatile @Nullable Thread giver;

        /** True if the executor does not run the task, or only on the thread that hands it over. */
        private volatile boolean returned;

        Passed(Runnable task, @Nullable Thread giver) {
            this.task = task;
            this.giver = giver;
        }

        boolean begin() {
            return compareAndSet(false, true);
        }

        @Override
        public void run() {
            if (giver == Thread.currentThread()) {
                returned = true;
            } else if (begin()) {
                task.run();
            }
        }
    }
}
