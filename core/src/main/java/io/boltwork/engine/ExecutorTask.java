package io.boltwork.engine;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;

/** Something that a user's executor is to run: once, though the executor refuses it, or fails before or after it has run it. Thread-safe. */
final class ExecutorTask extends AtomicBoolean implements Runnable {
    private static final long serialVersionUID = 1;
    private static final System.Logger LOG = System.getLogger("io.boltwork");

    private final transient Runnable task;

    private ExecutorTask(Runnable task) {
        this.task = task;
    }

    /** Has {@code task} run by {@code executor}, and by {@code otherwise} if that throws. The lock hears nothing of it. */
    static void send(Runnable task, Executor executor, Executor otherwise) {
        ExecutorTask errand = new ExecutorTask(task);
        try {
            executor.execute(errand);
        } catch (RejectedExecutionException closed) {
            LOG.log(System.Logger.Level.DEBUG, "An executor for callbacks no longer accepts tasks", closed);
            otherwise.execute(errand);
        } catch (Throwable broken) { // out of threads, perhaps
            LOG.log(System.Logger.Level.WARNING, "An executor for callbacks threw; the lock is not affected", broken);
            otherwise.execute(errand);
        }
    }

    @Override
    public void run() {
        if (compareAndSet(false, true)) {
            task.run();
        }
    }
}
