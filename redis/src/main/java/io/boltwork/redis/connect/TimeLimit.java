// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.connect;

import io.netty.util.concurrent.EventExecutor;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Runs an action on the loop thread after a time, unless it is cancelled. The loop thread counts the time in ticks. A
 * tick that comes late, because the thread got no processor or the process was stopped, counts as one that came in
 * time, and is never the last one. So what has arrived meanwhile is read before the time is over. Thread-safe.
 */
final class TimeLimit {
    private static final int TICKS = 8;

    private final EventExecutor loop;
    private final long tickNanos;
    private final Runnable action;
    private int left = TICKS;
    private long due;
    private volatile boolean cancelled;
    private volatile @Nullable Future<?> next;

    private TimeLimit(EventExecutor loop, long millis, Runnable action) {
        this.loop = loop;
        this.tickNanos = TimeUnit.MILLISECONDS.toNanos(millis) / TICKS;
        this.action = action;
    }

    /**
     * Begins to count.
     *
     * @param action runs on the loop thread
     */
    static TimeLimit begin(EventExecutor loop, long millis, Runnable action) {
        TimeLimit limit = new TimeLimit(loop, millis, action);
        limit.tickLater();
        return limit;
    }

    private void tickLater() {
        due = System.nanoTime() + tickNanos;
        next = loop.schedule(this::tick, tickNanos, TimeUnit.NANOSECONDS);
    }

    private void tick() {
        if (cancelled) {
            return;
        }
        boolean isLate = System.nanoTime() - due >= tickNanos;
        if (--left > 0 || isLate) {
            tickLater();
        } else {
            action.run();
        }
    }

    /** Ends the counting. */
    void cancel() {
        cancelled = true;
        Future<?> pending = next;
        if (pending != null) {
            pending.cancel(false);
        }
    }
}
