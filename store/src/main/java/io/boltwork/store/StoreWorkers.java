// SPDX-License-Identifier: Apache-2.0
package io.boltwork.store;

import io.boltwork.BackendException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The threads that use a store. Each has a queue, so that the commands for one lock are executed in order. A task that
 * can begin without waiting is begun by its sender if the queue is empty: then no thread changes between the sender and
 * the store. The thread of that queue runs nothing until such a task has ended. Thread-safe.
 */
final class StoreWorkers {
    private static final System.Logger LOG = System.getLogger("io.boltwork");
    /** The wait for each thread at the end. A thread that waits for the store ends later, by itself. */
    private static final long JOIN = TimeUnit.MILLISECONDS.toMillis(200);
    /** The checks within a time limit, so that a task fails later than its limit by an eighth of it at most. */
    private static final int LOOKS = 8;

    private final List<Worker> workers = new ArrayList<>();
    private final String store;
    private final Duration timeout;
    private final ScheduledThreadPoolExecutor timer;
    private final AtomicBoolean watching = new AtomicBoolean();
    private volatile boolean ended;

    /** A command on its way. */
    public interface Task {
        /** Executes it, and waits for the store. */
        public void run();

        /**
         * Begins to execute it without waiting.
         *
         * @return whether it was executed, later; {@code null} if it has to be run, and nothing was begun
         */
        default @Nullable CompletionStage<Boolean> begin() {
            return null;
        }

        /** Answers what was prepared when it began. Called after it was executed. */
        default void answer() {}

        /**
         * Answers that it failed, or will not be executed.
         *
         * @param begun whether it has begun, so that it may have been executed or be executed later
         */
        void fail(boolean begun, BackendException failure);
    }

    /** The state of a task that its sender has begun. */
    private enum Fate {
        UNDER_WAY,
        /** Nothing was changed, and the worker has to run it. */
        LEFT_TO_THE_WORKER,
        ENDED
    }

    /**
     * A task that its sender has begun. Exactly one ends it: its answer, its time limit, the worker, or the end of all.
     */
    private final class Begun {
        private final Worker worker;
        private final Task task;
        private final long since = System.nanoTime();
        private final AtomicReference<Fate> fate = new AtomicReference<>(Fate.UNDER_WAY);

        Begun(Worker worker, Task task) {
            this.worker = worker;
            this.task = task;
        }

        /** Takes the result. */
        void end(@Nullable Boolean executed, @Nullable Throwable failure) {
            if (failure != null) {
                end(Fate.UNDER_WAY, () -> task.fail(true, asBackendException(failure)));
            } else if (Boolean.TRUE.equals(executed)) {
                end(Fate.UNDER_WAY, task::answer);
            } else if (fate.compareAndSet(Fate.UNDER_WAY, Fate.LEFT_TO_THE_WORKER)) {
                worker.wake();
            }
        }

        /** Takes the step that ends it, unless its fate is another one. Returns whether the step was taken. */
        boolean end(Fate from, Runnable step) {
            if (!fate.compareAndSet(from, Fate.ENDED)) {
                return false;
            }
            try {
                execute(step);
            } finally {
                leave();
            }
            return true;
        }

        /** Returns the rest of its time, in nanoseconds; negative if that has passed. */
        long left() {
            return since + timeout.toNanos() - System.nanoTime();
        }

        void leave() {
            worker.begun.compareAndSet(this, null);
            LockSupport.unpark(worker);
        }
    }

    private final class Worker extends Thread {
        private final BlockingQueue<Task> tasks = new LinkedBlockingQueue<>();
        /** The number of tasks that are queued or being run. */
        private final AtomicInteger open = new AtomicInteger();

        private final AtomicReference<@Nullable Begun> begun = new AtomicReference<>();

        Worker(String name) {
            super(name);
            setDaemon(true);
        }

        @Override
        public void run() {
            while (!ended) {
                try {
                    Task task = tasks.take();
                    execute(awaitBegun() ? task::run : () -> task.fail(false, closed()));
                    open.decrementAndGet();
                } catch (InterruptedException end) {
                    // looks whether this is the end
                }
            }
            Begun last = begun.get();
            if (last != null && !last.end(Fate.UNDER_WAY, () -> last.task.fail(true, closed()))) {
                last.end(Fate.LEFT_TO_THE_WORKER, () -> last.task.fail(false, closed()));
            }
            for (Task task; (task = tasks.poll()) != null; ) {
                task.fail(false, closed());
            }
        }

        /**
         * Waits until the task that was begun has ended, and runs that task if it must be run. Returns {@code false} if
         * the end of all came first. A task that a sender is about to begin does not count: it will be queued instead.
         */
        private boolean awaitBegun() {
            for (Begun first; (first = begun.get()) != null; ) {
                if (ended) {
                    return false;
                }
                Begun task = first;
                if (task.end(Fate.LEFT_TO_THE_WORKER, task.task::run)) {
                    continue;
                }
                long left = task.left();
                if (left <= 0) {
                    task.end(Fate.UNDER_WAY, () -> task.task.fail(true, late()));
                } else {
                    LockSupport.parkNanos(this, left);
                }
            }
            return true;
        }

        /** Begins a task if none is before it. Returns whether it will be answered. */
        boolean begin(Task task) {
            if (open.get() != 0 || begun.get() != null) {
                return false;
            }
            Begun mine = new Begun(this, task);
            if (!begun.compareAndSet(null, mine)) {
                return false;
            }
            // A task that is queued from now on waits for this one. One that was queued before shows in the count.
            CompletionStage<Boolean> end = null;
            if (open.get() == 0 && !ended) {
                watch();
                end = StoreWorkers.begin(task);
            }
            if (end == null) {
                mine.leave();
                return false;
            }
            end.whenComplete(mine::end);
            return true;
        }

        void queue(Task task) {
            open.incrementAndGet();
            tasks.add(task);
            if (ended && tasks.remove(task)) {
                task.fail(false, closed());
            }
        }

        /** Lets the thread look at what was begun, whether it waits for a task or for the end of what was begun. */
        void wake() {
            queue(new Nothing());
            LockSupport.unpark(this);
        }
    }

    /** A task that only wakes a thread. */
    private static final class Nothing implements Task {
        @Override
        public void run() {}

        @Override
        public void fail(boolean begun, BackendException failure) {}
    }

    /**
     * Starts threads.
     *
     * @param store the address of the store, for messages
     * @param count the number of threads
     * @param timeout the time limit of a task that was begun
     */
    StoreWorkers(String store, int count, Duration timeout) {
        this.store = store;
        this.timeout = timeout;
        this.timer = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "boltwork-store-timer");
            thread.setDaemon(true);
            return thread;
        });
        timer.setRejectedExecutionHandler(new ThreadPoolExecutor.DiscardPolicy()); // tasks after the end are void
        for (int i = 0; i < count; i++) {
            Worker worker = new Worker("boltwork-store-" + i);
            workers.add(worker);
            worker.start();
        }
    }

    /** Executes a task after all earlier ones with the same hash. */
    void execute(int hash, Task task) {
        Worker worker = workers.get(Math.floorMod(hash, workers.size()));
        if (!worker.begin(task)) {
            worker.queue(task);
        }
    }

    private static @Nullable CompletionStage<Boolean> begin(Task task) {
        try {
            return task.begin();
        } catch (RuntimeException | Error failure) { // it may have been sent
            return CompletableFuture.failedStage(failure);
        }
    }

    private static void execute(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException | Error defect) { // one command's failure must not end the thread
            LOG.log(System.Logger.Level.ERROR, "A command could not be executed", defect);
        }
    }

    // ================================================================ the time limit

    /** Checks the time limit soon. One check is planned at a time, however many tasks begin. */
    private void watch() {
        if (watching.compareAndSet(false, true)) {
            timer.schedule(this::look, timeout.toMillis() / LOOKS + 1, TimeUnit.MILLISECONDS);
        }
    }

    /** Runs an action after the time limit of a task. */
    void afterTimeout(Runnable action) {
        timer.schedule(action, timeout.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void look() {
        watching.set(false);
        boolean isAnyLeft = false;
        for (Worker worker : workers) {
            Begun task = worker.begun.get();
            if (task != null && task.left() <= 0) {
                worker.wake();
            } else {
                isAnyLeft |= task != null;
            }
        }
        if (isAnyLeft) {
            watch();
        }
    }

    private static BackendException asBackendException(Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        return cause instanceof BackendException known
                ? known
                : new BackendException("The store failed to execute a command: " + cause, true, cause);
    }

    private BackendException late() {
        return new BackendException(store + " has not answered within " + timeout.toMillis() + " ms", true, null);
    }

    static BackendException closed() {
        return new BackendException("The backend is closed", true, null);
    }

    // ================================================================ the end

    /** Ends the threads. Tasks that are not being executed fail. */
    void end() {
        ended = true;
        timer.shutdownNow();
        workers.forEach(Thread::interrupt);
        for (Worker worker : workers) {
            if (worker != Thread.currentThread()) {
                try {
                    worker.join(JOIN);
                } catch (InterruptedException interrupted) {
                    Thread.currentThread().interrupt();
                    return;
                }
            }
        }
    }
}
