// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.client;

import io.boltwork.machine.request.Ticker;
import io.boltwork.spi.rules.ServerClock;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongConsumer;
import java.util.stream.Stream;

/**
 * Notices that the client's monotonic clock has missed time, as it does while the machine is suspended. Another clock
 * is then ahead of it: the wall clock of this machine, or the clock of a server. A wall clock that is set forward has
 * the same effect. Thread-safe.
 */
public final class SuspensionDetector {

    /** The largest difference between two readings of the wall clock and the time between them, in nanoseconds. */
    private static final long READING = TimeUnit.MILLISECONDS.toNanos(10);

    /** The number of suspensions whose times are kept. Older ones count as if they were recent. */
    private static final int KEPT = 16;

    private static final AtomicReferenceFieldUpdater<SuspensionDetector, Suspensions> SUSPENSIONS =
            AtomicReferenceFieldUpdater.newUpdater(SuspensionDetector.class, Suspensions.class, "suspensions");

    private final Ticker ticker;
    private final InstantSource wall;
    private final LongConsumer missed;
    private volatile Suspensions suspensions = Suspensions.NONE;

    private final ReentrantLock looking = new ReentrantLock();

    /* Guarded by looking. */
    private long lastWall;
    private long lastTick;
    private long lastTotal;

    /**
     * A suspension, or a clock that was set.
     *
     * @param at the time at which it was noticed, by the monotonic clock
     * @param before the total time that was missed before it
     */
    private record Suspension(long at, long before) {}

    /** The total time that was missed, in nanoseconds, and the newest suspensions in their order. */
    private record Suspensions(long total, List<Suspension> newest) {
        static final Suspensions NONE = new Suspensions(0, List.of());

        Suspensions and(long at, long nanos) {
            int from = Math.max(0, newest.size() - KEPT + 1);
            Stream<Suspension> kept = newest.subList(from, newest.size()).stream();
            return new Suspensions(
                    total + nanos,
                    Stream.concat(kept, Stream.of(new Suspension(at, total))).toList());
        }

        long since(long moment) {
            for (Suspension suspension : newest) {
                if (suspension.at > moment) {
                    boolean forgotten = suspension == newest.get(0);
                    return forgotten ? total : total - suspension.before;
                }
            }
            return 0;
        }
    }

    /** @param missed called with the time that was missed, in nanoseconds, on the thread that notices it */
    public SuspensionDetector(Ticker ticker, InstantSource wall, LongConsumer missed) {
        this.ticker = ticker;
        this.wall = wall;
        this.missed = missed;
        this.lastWall = wall.millis();
        this.lastTick = ticker.nanos();
    }

    /** Looks at the wall clock. Must be called once a second at least. */
    public void checkClock() {
        long more;
        looking.lock();
        try {
            more = moreByWallClock();
            if (more > 0) {
                lastTotal += more;
                add(more);
            }
        } finally {
            looking.unlock();
        }
        if (more > 0) {
            missed.accept(more);
        }
    }

    /** Returns the time that was missed since the last look and has not been noticed; 0 if it is too short. */
    private long moreByWallClock() {
        long now = ticker.nanos();
        long wallNow = wall.millis();
        long total = total();
        long ahead = TimeUnit.MILLISECONDS.toNanos(wallNow - lastWall) - (now - lastTick);
        long known = total - lastTotal; // noticed by a server's clock, perhaps not all of it
        lastWall = wallNow;
        lastTick = now;
        lastTotal = total;
        long more = ahead - known;
        return more > (known == 0 ? ServerClock.NOTICED : READING) ? more : 0;
    }

    /** Adds and reports the time by which another clock ran ahead, which is, more than {@link ServerClock#NOTICED}. */
    public void notice(long nanos) {
        add(nanos);
        missed.accept(nanos);
    }

    private void add(long nanos) {
        long now = ticker.nanos();
        SUSPENSIONS.updateAndGet(this, before -> before.and(now, nanos));
    }

    /** The total time that was missed so far, in nanoseconds. */
    public long total() {
        return suspensions.total;
    }

    /** The time that was missed since a time of the monotonic clock, as far as it has been noticed. */
    public long since(long moment) {
        Suspensions known = suspensions;
        return known == Suspensions.NONE ? 0 : known.since(moment);
    }
}
