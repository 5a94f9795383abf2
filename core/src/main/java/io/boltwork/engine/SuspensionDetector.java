package io.boltwork.engine;

import io.boltwork.machine.ServerClock;
import io.boltwork.machine.Ticker;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.LongConsumer;
import java.util.stream.Stream;

/**
 * Notices that the client's monotonic clock has missed time, as it does while the machine is suspended. Another clock
 * is then ahead of it: the wall clock of this machine, or the clock of a server. A wall clock that is set forward has
 * the same effect. Thread-safe.
 */
public final class SuspensionDetector {

    /** The number of suspensions whose times are kept. Older ones count as if they were recent. */
    private static final int KEPT = 16;

    private static final AtomicReferenceFieldUpdater<SuspensionDetector, Suspensions> SUSPENSIONS =
            AtomicReferenceFieldUpdater.newUpdater(SuspensionDetector.class, Suspensions.class, "suspensions");

    private final Ticker ticker;
    private final InstantSource wall;
    private final LongConsumer missed;
    private volatile Suspensions suspensions = Suspensions.NONE;

    /* The fields below belong to the thread that calls look(). */
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
    SuspensionDetector(Ticker ticker, InstantSource wall, LongConsumer missed) {
        this.ticker = ticker;
        this.wall = wall;
        this.missed = missed;
        this.lastWall = wall.millis();
        this.lastTick = ticker.nanos();
    }

    /** Looks at the wall clock. Must be called once a second, by one thread at a time. */
    void look() {
        long now = ticker.nanos();
        long wallNow = wall.millis();
        long total = total();
        long ahead = TimeUnit.MILLISECONDS.toNanos(wallNow - lastWall) - (now - lastTick);
        long known = total - lastTotal; // noticed by a server's clock
        lastWall = wallNow;
        lastTick = now;
        lastTotal = total;
        if (ahead - known > ServerClock.NOTICED) {
            lastTotal += ahead - known;
            notice(ahead - known);
        }
    }

    /** Notes that another clock ran ahead by this time, more than {@link ServerClock#NOTICED}. */
    void notice(long nanos) {
        long now = ticker.nanos();
        SUSPENSIONS.updateAndGet(this, before -> before.and(now, nanos));
        missed.accept(nanos);
    }

    /** The total time that was missed so far, in nanoseconds. */
    long total() {
        return suspensions.total;
    }

    /** The time that was missed since a time of the monotonic clock, as far as it has been noticed. */
    long since(long moment) {
        Suspensions known = suspensions;
        return known == Suspensions.NONE ? 0 : known.since(moment);
    }
}
