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
 * Notices that the client's monotonic clock has missed time, as it does while the machine is suspended: another clock then runs
 * ahead of it, the wall clock here or that of a server. A wall clock that is set forward looks the same. Thread-safe.
 */
public final class SuspensionDetector {

    /** How many are kept apart. Of older ones the time is forgotten, and they count as if they were the newest. */
    private static final int KEPT = 16;

    private static final AtomicReferenceFieldUpdater<SuspensionDetector, History> HISTORY =
            AtomicReferenceFieldUpdater.newUpdater(SuspensionDetector.class, History.class, "history");

    private final Ticker ticker;
    private final InstantSource wall;
    private final LongConsumer missed;
    private volatile History history = History.NONE;

    /* What follows belongs to the thread that looks. */
    private long lastWall;
    private long lastTick;
    private long lastTotal;

    /**
     * A suspension, or a clock that was set.
     *
     * @param at when it was noticed, by the monotonic clock
     * @param before how much had been missed before it, in all
     */
    private record Suspension(long at, long before) {}

    /** All that was missed, in nanoseconds, and the newest of the suspensions, in order. */
    private record History(long total, List<Suspension> newest) {
        static final History NONE = new History(0, List.of());

        History and(long at, long nanos) {
            int from = Math.max(0, newest.size() - KEPT + 1);
            Stream<Suspension> kept = newest.subList(from, newest.size()).stream();
            return new History(
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

    /** @param missed is told how much was missed, in nanoseconds, on the thread that notices */
    SuspensionDetector(Ticker ticker, InstantSource wall, LongConsumer missed) {
        this.ticker = ticker;
        this.wall = wall;
        this.missed = missed;
        this.lastWall = wall.millis();
        this.lastTick = ticker.nanos();
    }

    /** Looks at the wall clock. To be called once a second, never twice at the same time. */
    void look() {
        long now = ticker.nanos();
        long wallNow = wall.millis();
        long total = total();
        long ahead = TimeUnit.MILLISECONDS.toNanos(wallNow - lastWall) - (now - lastTick);
        long known = total - lastTotal; // a server's clock has told it
        lastWall = wallNow;
        lastTick = now;
        lastTotal = total;
        if (ahead - known > ServerClock.NOTICED) {
            lastTotal += ahead - known;
            notice(ahead - known);
        }
    }

    /** Another clock ran ahead by more than {@link #ServerClock.NOTICED}, of which nothing was known. */
    void notice(long nanos) {
        long now = ticker.nanos();
        HISTORY.updateAndGet(this, before -> before.and(now, nanos));
        missed.accept(nanos);
    }

    /** How much was missed so far, in nanoseconds. */
    long total() {
        return history.total;
    }

    /** How much was missed since a moment of the monotonic clock, as far as it has been noticed. */
    long since(long moment) {
        History known = history;
        return known == History.NONE ? 0 : known.since(moment);
    }
}
