// SPDX-License-Identifier: Apache-2.0
package io.boltwork.store;

import static io.boltwork.spi.PrintableLog.LOG;

import io.boltwork.BackendException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The threads that use a store. Each has a queue, so the commands for one lock are executed in order. Thread-safe. */
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
        private final BlockingQueue<Task> tasks = new LinkedBlockingQueue<>();

        Worker(String name) {
            super(name);
            setDaemon(true);
        }

        @Override
        public void run() {
            while (!ended) {
                try {
                    tasks.take().run();
                } catch (InterruptedException end) {
                    // looks whether this is the end
                } catch (RuntimeException | Error defect) { // one command's failure must not end the thread
                    LOG.log(System.Logger.Level.ERROR, "A command could not be executed", defect);
                }
            }
            for (Task task; (task = tasks.poll()) != null; ) {
                task.fail(closed());
            }
        }

        void queue(Task task) {
            tasks.add(task);
            if (ended && tasks.remove(task)) {
                task.fail(closed());
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
        workers.get(Math.floorMod(hash, workers.size())).queue(task);
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
