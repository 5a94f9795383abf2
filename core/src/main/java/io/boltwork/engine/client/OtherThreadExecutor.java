// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.client;

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

    private static final System.Logger LOG = System.getLogger("io.boltwork");

    private final Executor users;
    private final Executor own;

    public OtherThreadExecutor(Executor users, Executor own) {
        this.users = users;
        this.own = own;
    }

    @Override
    public void execute(Runnable task) {
        Passed passed = new Passed(task, Thread.currentThread());
        try {
            users.execute(passed);
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
            own.execute(task);
        }
    }

    /** A task that was passed to the user's executor. It runs once. */
    private static final class Passed extends AtomicBoolean implements Runnable {
        private static final long serialVersionUID = 1;

        private final transient Runnable task;

        /** The thread that hands the task over, while it does so. */
        private transient volatile @Nullable Thread giver;

        /** True if the executor does not run the task, or only on the thread that hands it over. */
        private volatile boolean returned;

        Passed(Runnable task, Thread giver) {
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
