// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.client;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Runs the checks of a client that no event triggers, once a second. */
public final class Heartbeat {

    /** The time between two heartbeats, in nanoseconds. */
    public static final long PERIOD = TimeUnit.SECONDS.toNanos(1);

    private final ClientCore core;
    private final List<Runnable> checks;
    private final Runnable closing;

    /** The number of the beat that was planned last. A beat with another number was replaced and does nothing. */
    private final AtomicLong planned = new AtomicLong();

    /** The time of the next beat. */
    private volatile long next;

    /**
     * Creates a heartbeat that has not begun.
     *
     * @param checks the checks, run one after the other on the timer's thread; they must not block. If one throws, the
     *     others and the heartbeat continue
     * @param closing run instead of the checks after the client was closed, until it has ended
     */
    public Heartbeat(ClientCore core, List<Runnable> checks, Runnable closing) {
        this.core = core;
        this.checks = checks;
        this.closing = closing;
    }

    /** Plans the next beat, until the client has been closed. */
    public void plan() {
        plan(PERIOD);
    }

    private void plan(long delay) {
        long number = planned.incrementAndGet();
        core.scheduler.schedule(() -> beat(number), delay);
        next = core.ticker.nanos() + delay;
    }

    /** Plans the next beat again for the same time, because the timer may have lost it. For any thread. */
    public void planAgain() {
        plan(Math.max(0, Math.min(next - core.ticker.nanos(), PERIOD)));
    }

    /** Plans the next beat if the JVM was too short of memory to do so. For any thread. */
    public void ensure() {
        if (core.ticker.nanos() - next > 2 * PERIOD) {
            plan();
        }
    }

    private void beat(long number) {
        if (number != planned.get()) {
            return;
        }
        if (core.isClosed()) {
            if (!core.hasEnded()) {
                plan(); // an error may cut the close short later
                run(closing);
            }
            return;
        }
        try {
            plan();
        } finally { // even if the heap is full; callers then plan the next beat
            checks.forEach(this::run);
        }
    }

    private void run(Runnable check) {
        try {
            check.run();
        } catch (Throwable defect) {
            core.defects.accept(defect);
        }
    }
}
