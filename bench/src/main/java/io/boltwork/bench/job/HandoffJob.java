// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.job;

import io.boltwork.bench.contender.BenchLock;
import io.boltwork.bench.contender.ExclusionBoard;
import io.boltwork.bench.measure.Wait;
import io.boltwork.bench.measure.WorkOutcome;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.HdrHistogram.Histogram;

/**
 * A lock that goes back and forth between two JVMs. The holder waits until the other JVM has asked for the lock and has
 * had time to join the queue, and then releases it. The time is from before {@code unlock()} in one JVM until {@code
 * lock()} returns in the other. Both read the same clock.
 */
public final class HandoffJob implements Job {
    public static final String NAME = "handoff";

    /** Optional: the least time between the request of one JVM and the release of the other. Default: 2 ms. */
    public static final String SETTLE_MILLIS = "settleMillis";

    /** Optional: the longest random time in addition, so that releases fall into every phase of a client that polls. */
    public static final String PHASE_MILLIS = "phaseMillis";

    /**
     * Optional: with 1, a JVM that has released the lock asks again only after the other one has got it. Otherwise a
     * JVM that polls might find the lock free only in the moment before it is taken again, and the measured time would
     * be that moment.
     */
    public static final String IN_TURN = "inTurn";

    private static final int SETTLE = 2;
    private static final Duration GLANCE = Duration.ofNanos(100_000);

    private static final int LOCK = 0;
    private static final int RELEASED_AT = 1;
    private static final int RELEASED_BY = 2;
    private static final int ASKED = 3; // and the next slot: one for each JVM
    private static final int ENDED = 5; // likewise
    private static final int TURNS = 7; // likewise

    private final JobContext site;
    private final int other;
    private final Duration settle;
    private final Duration phase;
    private final boolean inTurn;
    private final BenchLock lock;
    private long entries;

    HandoffJob(JobContext site) {
        this.site = site;
        other = 1 - site.order().jvm();
        lock = site.lock(0, "handoff");
        int least = site.order().optional(SETTLE_MILLIS);
        settle = Duration.ofMillis(least == 0 ? SETTLE : least);
        phase = Duration.ofMillis(site.order().optional(PHASE_MILLIS));
        inTurn = site.order().optional(IN_TURN) == 1;
    }

    @Override
    public void warmUp() throws InterruptedException {
        Duration time = Duration.ofMillis(site.order().number(LoadJob.WARM_UP_MILLIS));
        WarmUp.pairs(site, time);
        pingPong(time.multipliedBy(WarmUp.REHEARSAL), () -> GLANCE, 1);
    }

    @Override
    public WorkOutcome run() {
        return pingPong(Duration.ofMillis(site.order().number(LoadJob.MILLIS)), this::pause, 2);
    }

    private Duration pause() {
        return settle.plusNanos(ThreadLocalRandom.current().nextLong(phase.toNanos() + 1));
    }

    private WorkOutcome pingPong(Duration time, Supplier<Duration> pauses, int round) {
        ExclusionBoard board = site.board();
        int me = site.order().jvm();
        Histogram waits = Wait.histogram();
        long turns = 0;
        double cpu = Worker.cpuSeconds();
        long end = System.nanoTime() + time.toNanos();
        while (System.nanoTime() < end) {
            board.mark(ASKED + me, 1);
            lock.lock();
            long now = System.nanoTime();
            board.mark(ASKED + me, 0);
            long released = board.mark(RELEASED_AT);
            if (released > 0 && board.mark(RELEASED_BY) == other + 1) {
                Wait.record(waits, now - released);
            }
            board.enter(LOCK, site.who(0));
            turns++;
            board.mark(TURNS + me, entries + turns);
            long others = board.mark(TURNS + other);
            while (board.mark(ASKED + other) == 0 && board.mark(ENDED + other) < round && System.nanoTime() < end) {
                LockSupport.parkNanos(GLANCE.toNanos());
            }
            boolean wanted = board.mark(ASKED + other) == 1;
            LockSupport.parkNanos(pauses.get().toNanos());
            board.exit(LOCK, site.who(0));
            board.mark(RELEASED_BY, me + 1L);
            board.mark(RELEASED_AT, wanted ? System.nanoTime() : 0);
            lock.unlock();
            while (inTurn
                    && wanted
                    && board.mark(TURNS + other) == others
                    && board.mark(ENDED + other) < round
                    && System.nanoTime() < end) {
                LockSupport.parkNanos(GLANCE.toNanos());
            }
        }
        board.mark(ENDED + me, round);
        cpu = Worker.cpuSeconds() - cpu;
        entries += turns;
        return new WorkOutcome(
                new long[] {turns}, turns, entries, time.toNanos() / 1e9, cpu, Wait.encode(waits), Map.of());
    }
}
