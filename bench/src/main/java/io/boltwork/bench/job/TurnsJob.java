// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.job;

import io.boltwork.bench.contender.BenchLock;
import io.boltwork.bench.contender.ExclusionBoard;
import io.boltwork.bench.contender.own.BoltworkLocks;
import io.boltwork.bench.measure.Wait;
import io.boltwork.bench.measure.WorkOutcome;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * A lock that two JVMs take in turn, with a pause between the release of one and the call of the other. Or a lock that
 * the first JVM takes all the time, every few milliseconds, and the other one now and then. The times are those of
 * calls of {@code lock()}: of both JVMs, or of the visitor alone.
 */
public final class TurnsJob implements Job {
    public static final String NAME = "turns";

    /** The pause between two turns. */
    public static final String PAUSE_MICROS = "pauseMicros";

    /** With 1, the second JVM is a visitor; the first one takes the lock after each {@link #RESIDENT_NANOS}. */
    public static final String VISITOR = "visitor";

    private static final long RESIDENT_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long GLANCE_NANOS = TimeUnit.MICROSECONDS.toNanos(50);

    private static final int LOCK = 0;
    private static final int TURN = 1;
    private static final int RELEASED_AT = 2;
    private static final int ROUND = 3;

    /** The number of locks that the JVMs recall from each other in the rehearsal. */
    private static final int RECALLS = 30;

    /** A quarter longer than the time for which a client does not retain a lock after a recall. */
    private static final long QUIET_NANOS = BoltworkLocks.RETENTION.toNanos() * 5 / 4;

    private final JobContext site;
    private final int me;
    private final long pause;
    private final boolean isVisited;
    private final BenchLock lock;
    private long entries;

    TurnsJob(JobContext site) {
        this.site = site;
        me = site.order().jvm();
        pause = TimeUnit.MICROSECONDS.toNanos(site.order().optional(PAUSE_MICROS));
        isVisited = site.order().optional(VISITOR) == 1;
        lock = site.lock(0, "turns");
    }

    @Override
    public void warmUp() throws InterruptedException {
        Duration time = Duration.ofMillis(site.order().number(LoadJob.WARM_UP_MILLIS));
        WarmUp.pairs(site, time);
        // pairs of a retained lock do not compile what a turn of two clients needs
        long half = time.multipliedBy(WarmUp.REHEARSAL).dividedBy(2).toNanos();
        entries += takeTurns(half, 0, null);
        rehearseRecalls(half);
    }

    /**
     * Lets the JVMs recall some locks from each other again and again, in four rounds: the first JVM retains the locks,
     * the second one recalls and retains them, the first one recalls them, and the second one takes them. Then each JVM
     * was recalled, and retains no lock for a time. A JVM takes a lock twice each time: otherwise it would retain the
     * lock less and less. There are few locks, since a client asks for each of them once more when the lease that it
     * has waited for would end.
     */
    private void rehearseRecalls(long nanos) {
        for (long end = System.nanoTime() + nanos; System.nanoTime() < end; ) {
            long round = site.board().mark(ROUND);
            if (round % 2 != me) {
                LockSupport.parkNanos(GLANCE_NANOS);
            } else {
                if (round % 4 == 0) {
                    LockSupport.parkNanos(QUIET_NANOS);
                }
                useTwice();
                site.board().mark(ROUND, round + 1);
            }
        }
    }

    private void useTwice() {
        for (int i = 0; i < RECALLS; i++) {
            BenchLock one = site.lock(0, "recall:" + i);
            one.lock();
            one.unlock();
            one.lock();
            one.unlock();
        }
    }

    @Override
    public WorkOutcome run() {
        long nanos = TimeUnit.MILLISECONDS.toNanos(site.order().number(LoadJob.MILLIS));
        Histogram waits = Wait.histogram();
        double cpu = Worker.cpuSeconds();
        long turns = isVisited ? visit(nanos, waits) : takeTurns(nanos, pause, waits);
        cpu = Worker.cpuSeconds() - cpu;
        entries += turns;
        return new WorkOutcome(new long[] {turns}, turns, entries, nanos / 1e9, cpu, Wait.encode(waits), Map.of());
    }

    private long takeTurns(long nanos, long between, @Nullable Histogram waits) {
        ExclusionBoard board = site.board();
        long turns = 0;
        for (long end = System.nanoTime() + nanos; System.nanoTime() < end; ) {
            if (board.mark(TURN) % 2 != me || System.nanoTime() - board.mark(RELEASED_AT) < between) {
                LockSupport.parkNanos(GLANCE_NANOS);
            } else {
                take(waits);
                turns++;
                board.mark(RELEASED_AT, System.nanoTime());
                board.mark(TURN, 1 - me);
            }
        }
        return turns;
    }

    private long visit(long nanos, Histogram waits) {
        boolean isVisitor = me == 1;
        long turns = 0;
        for (long end = System.nanoTime() + nanos; System.nanoTime() < end; ) {
            LockSupport.parkNanos(isVisitor ? pause : RESIDENT_NANOS);
            take(isVisitor ? waits : null);
            turns++;
        }
        return turns;
    }

    private void take(@Nullable Histogram waits) {
        long begin = System.nanoTime();
        lock.lock();
        if (waits != null) {
            Wait.record(waits, System.nanoTime() - begin);
        }
        site.board().enter(LOCK, site.who(0));
        site.board().exit(LOCK, site.who(0));
        lock.unlock();
    }
}
