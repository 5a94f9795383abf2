// SPDX-License-Identifier: Apache-2.0
package io.boltwork.store;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** The threads that use a store. Each has a queue, so that the commands for one lock are executed in order. Thread-safe. */
final class StoreWorkers {
    private static final System.Logger LOG = System.getLogger("io.boltwork");
    /** The wait for each thread at the end. A thread that waits for the store ends later, by itself. */
    private static final long JOIN = TimeUnit.MILLISECONDS.toMillis(200);

    private final List<Worker> workers = new ArrayList<>();
    private volatile boolean ended;

    /** A command on its way. */
    interface Task {
        /** Executes it. */
        void run();

        /** Answers that it will not be executed. */
        void refuse();
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
                    execute(tasks.take());
                } catch (InterruptedException end) {
                    // looks whether this is the end
                }
            }
            for (Task task; (task = tasks.poll()) != null; ) {
                task.refuse();
            }
        }

        private void execute(Task task) {
            try {
                task.run();
            } catch (RuntimeException | Error defect) { // one command's failure must not end the thread
                LOG.log(System.Logger.Level.ERROR, "A command could not be executed", defect);
            }
        }
    }

    /** Starts that many threads. */
    StoreWorkers(int count) {
        for (int i = 0; i < count; i++) {
            Worker worker = new Worker("boltwork-store-" + i);
            workers.add(worker);
            worker.start();
        }
    }

    /** Executes a task after all earlier ones with the same hash. */
    void execute(int hash, Task task) {
        Worker worker = workers.get(Math.floorMod(hash, workers.size()));
        worker.tasks.add(task);
        if (ended && worker.tasks.remove(task)) {
            task.refuse();
        }
    }

    /** Ends the threads. Tasks that are not being executed are refused. */
    void end() {
        ended = true;
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
