// SPDX-License-Identifier: Apache-2.0
package io.boltwork.quorum;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * Runs events one at a time, in the order in which they come, on the threads that bring them. A thread that brings an
 * event while another event runs leaves it to that thread. Thread-safe.
 */
final class SerialQueue {

    /**
     * The most events that a thread runs before it leaves the others to the timer's thread, since it has work of its
     * own.
     */
    private static final int MOST_AT_ONCE = 100;

    private final Queue<Runnable> events = new ConcurrentLinkedQueue<>();
    private final AtomicInteger open = new AtomicInteger();
    private final Consumer<Runnable> elsewhere;
    private final Consumer<Throwable> defects;

    /**
     * Creates an empty queue.
     *
     * @param elsewhere runs a task soon, on another thread
     * @param defects receives the throwables of events
     */
    SerialQueue(Consumer<Runnable> elsewhere, Consumer<Throwable> defects) {
        this.elsewhere = elsewhere;
        this.defects = defects;
    }

    void run(Runnable event) {
        events.add(event);
        if (open.getAndIncrement() == 0) {
            drain();
        }
    }

    private void drain() {
        for (int i = 1; ; i++) {
            try {
                Runnable event = events.poll();
                if (event != null) {
                    event.run();
                }
            } catch (RuntimeException | Error defect) { // the queue must go on, whatever happens
                defects.accept(defect);
            }
            if (open.decrementAndGet() == 0) {
                return;
            }
            if (i == MOST_AT_ONCE) {
                elsewhere.accept(this::drain);
                return;
            }
        }
    }
}
