// SPDX-License-Identifier: Apache-2.0
package io.boltwork.store;

import static io.boltwork.spi.PrintableLog.LOG;

import io.boltwork.BackendException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The threads that use a store, and the callers that use it in place of an idle one. Each has a queue, so the commands
 * for one lock are executed one at a time and in order. Thread-safe.
 */
final class StoreWorkers {
    /** The wait for each thread at the end. A thread that waits for the store ends later, by itself. */
    private static final long JOIN = TimeUnit.MILLISECONDS.toMillis(200);

    private final List<Worker> workers = new ArrayList<>();
    private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, task -> {
        Thread thread = new Thread(task, "boltwork-store-timer");
        thread.setDaemon(true);
        return thread;
    });
    private volatile boolean ended;

    /** A command on its way. */
    interface Task {
        /** Executes it, and waits for the store. */
        void run();

        /** Answers that it will not be executed. */
        void fail(BackendException failure);
    }

    private final class Worker extends Thread {
        private final ReentrantLock lock = new ReentrantLock();

        /** Signalled when the next task may be executed, and at the end. */
        private final Condition ready = lock.newCondition();

        /** The tasks that nobody executes yet. Guarded by {@link #lock}. */
        private final Queue<Task> tasks = new ArrayDeque<>();

        /** Set while this thread or a caller executes a task. Guarded by {@link #lock}. */
        private boolean busy;

        Worker(String name) {
            super(name);
            setDaemon(true);
        }

        @Override
        public void run() {
            for (Task task; (task = next()) != null; ) {
                try {
                    task.run();
                } catch (RuntimeException | Error defect) { // one command's failure must not end the thread
                    LOG.log(System.Logger.Level.ERROR, "A command could not be executed", defect);
                } finally {
                    leave();
                }
            }
            tasks.forEach(left -> left.fail(closed())); // no more are added
        }

        /** Waits for the next task. Returns {@code null} at the end. */
        private @Nullable Task next() {
            lock.lock();
            try {
                while (!ended && (busy || tasks.isEmpty())) {
                    ready.awaitUninterruptibly();
                }
                busy = !ended;
                return ended ? null : tasks.poll();
            } finally {
                lock.unlock();
            }
        }

        void queue(Task task) {
            lock.lock();
            try {
                if (!ended) {
                    tasks.add(task);
                    if (!busy) {
                        ready.signal();
                    }
                    return;
                }
            } finally {
                lock.unlock();
            }
            task.fail(closed());
        }

        boolean isIdle() {
            lock.lock();
            try {
                return !ended && !busy && tasks.isEmpty();
            } finally {
                lock.unlock();
            }
        }

        /** Lets the current thread execute a task if no other is executed or waits. Returns whether it may. */
        boolean enter() {
            lock.lock();
            try {
                boolean may = isIdle();
                busy |= may;
                return may;
            } finally {
                lock.unlock();
            }
        }

        void leave() {
            lock.lock();
            try {
                busy = false;
                if (!tasks.isEmpty()) {
                    ready.signal();
                }
            } finally {
                lock.unlock();
            }
        }

        void end() {
            interrupt(); // it may wait for the store
            lock.lock();
            try {
                ready.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }

    /** Starts threads. */
    StoreWorkers(int count) {
        timer.setRejectedExecutionHandler(new ThreadPoolExecutor.DiscardPolicy()); // tasks after the end are void
        for (int i = 0; i < count; i++) {
            Worker worker = new Worker("boltwork-store-" + i);
            workers.add(worker);
            worker.start();
        }
    }

    /** Executes a task after all earlier ones with the same hash. */
    void execute(int hash, Task task) {
        worker(hash).queue(task);
    }

    /** Returns whether no task with the same hash is under way. */
    boolean isIdle(int hash) {
        return worker(hash).isIdle();
    }

    /** Runs an action on the current thread, unless tasks with the same hash are under way. Returns whether it has. */
    boolean executeHere(int hash, Runnable action) {
        Worker worker = worker(hash);
        if (!worker.enter()) {
            return false;
        }
        try {
            action.run();
        } finally {
            worker.leave();
        }
        return true;
    }

    private Worker worker(int hash) {
        return workers.get(Math.floorMod(hash, workers.size()));
    }

    /** Runs an action later, unless the threads end before. */
    void after(Duration delay, Runnable action) {
        timer.schedule(action, delay.toMillis(), TimeUnit.MILLISECONDS);
    }

    static BackendException closed() {
        return new BackendException("The backend is closed", true, null);
    }

    /** Ends the threads. Tasks that are not being executed fail. */
    void end() {
        ended = true;
        timer.shutdownNow();
        workers.forEach(Worker::end);
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
