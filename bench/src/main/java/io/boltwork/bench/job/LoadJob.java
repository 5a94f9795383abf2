// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.job;

import io.boltwork.bench.contender.Contender;
import io.boltwork.bench.contender.ExclusionBoard;
import io.boltwork.bench.contender.GuardedLock;
import io.boltwork.bench.measure.Figure;
import io.boltwork.bench.measure.Machine;
import io.boltwork.bench.measure.Wait;
import io.boltwork.bench.measure.WorkOutcome;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Threads that lock and unlock as often as they can. Turns count if they end within the time. Waits count to their end,
 * however long they take, so that a starving thread shows.
 */
public final class LoadJob implements Job {
    public static final String NAME = "load";

    /** The number of threads. */
    static final String THREADS = "threads";
    /**
     * The number of locks in all JVMs. With 0, each thread has its own lock; otherwise a thread uses its share of the
     * locks in turn.
     */
    public static final String LOCKS = "locks";
    /** The time for which the lock is held, in addition to the check. */
    static final String HOLD_NANOS = "holdNanos";

    /**
     * Optional: of twenty turns, those that hold a read lock. The others hold the write lock. With 0, the locks are
     * plain.
     */
    public static final String READS = "reads";
    /** Optional: the permits of each semaphore. With 0, the locks are no semaphores. */
    public static final String PERMITS = "permits";

    static final String WARM_UP_MILLIS = "warmUpMillis";
    /** The least time of the rehearsal that follows. */
    public static final String REHEARSAL_MILLIS = "rehearsalMillis";

    /** The longest time of the rehearsal while the JVM's compilers work. */
    public static final String LONGEST_REHEARSAL_MILLIS = "longestRehearsalMillis";

    public static final String MILLIS = "millis";

    private static final int CYCLE = 20;
    private static final Duration LOOK = Duration.ofSeconds(1);

    /** The share of a processor below which compilers count as finished. Linux counts in hundredths of a second. */
    private static final double QUIET = 0.03;

    private final JobContext site;
    private final int threads;
    private final int locks;
    private final int reads;
    private final int permits;
    private final long hold;
    private long entries;

    public LoadJob(JobContext site) {
        this.site = site;
        threads = site.order().count(THREADS);
        locks = site.order().count(LOCKS);
        reads = site.order().optional(READS);
        permits = site.order().optional(PERMITS);
        hold = site.order().number(HOLD_NANOS);
    }

    @Override
    public void warmUp() throws InterruptedException {
        Duration time = Duration.ofMillis(site.order().number(WARM_UP_MILLIS));
        WarmUp.pairs(site, time);
        long end =
                System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(site.order().number(LONGEST_REHEARSAL_MILLIS));
        load(Duration.ofMillis(site.order().number(REHEARSAL_MILLIS)));
        WarmUp.untilCompiled(() -> load(LOOK), QUIET * LOOK.toSeconds(), end);
    }

    @Override
    public WorkOutcome run() throws InterruptedException {
        return load(Duration.ofMillis(site.order().number(MILLIS)));
    }

    private WorkOutcome load(Duration time) throws InterruptedException {
        CountDownLatch start = new CountDownLatch(1);
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        List<Turns> all = new ArrayList<>();
        Map<Path, Double> before = Machine.sleeps();
        for (int i = 0; i < threads; i++) {
            Turns turns = new Turns(i, start, failure);
            turns.start();
            all.add(turns);
        }
        double cpu = Worker.cpuSeconds();
        long begin = System.nanoTime();
        all.forEach(turns -> turns.end = begin + time.toNanos());
        start.countDown();
        for (Turns turns : all) {
            turns.join();
        }
        cpu = Worker.cpuSeconds() - cpu;
        // the library's threads; the locking threads have ended and counted their own sleeps
        double sleeps = Machine.growth(before, Machine.sleeps())
                + all.stream().mapToDouble(turns -> turns.sleeps).sum();
        Throwable failed = failure.get();
        if (failed != null) {
            throw new IllegalStateException("A thread failed", failed);
        }
        long pairs = all.stream().mapToLong(turns -> turns.pairs).sum();
        entries += all.stream().mapToLong(turns -> turns.entries).sum();
        Map<String, Double> figures = new LinkedHashMap<>();
        figures.put(
                Figure.INSIDE.name(),
                all.stream().mapToLong(turns -> turns.inside).sum() / 1e3 / Math.max(1, pairs));
        if (sleeps > 0) {
            figures.put(Figure.SLEEPS.name(), sleeps / Math.max(1, pairs));
        }
        if (reads > 0) {
            Histogram writes = Wait.sum(all.stream().map(turns -> turns.writes).toList());
            figures.put(Figure.WRITE_WAIT_P99.name(), Wait.micros(writes, 99));
        }
        return new WorkOutcome(
                all.stream().mapToLong(turns -> turns.inTime).toArray(),
                pairs,
                entries,
                time.toNanos() / 1e9,
                cpu,
                Wait.encode(Wait.sum(all.stream().map(turns -> turns.waits).toList())),
                figures);
    }

    /** The counts of one thread. */
    private final class Turns extends Thread {
        private final int number;
        private final CountDownLatch start;
        private final AtomicReference<@Nullable Throwable> failure;
        private final Histogram waits = Wait.histogram();
        private final Histogram writes = Wait.histogram();
        private final GuardedLock[] mine;
        private long end;
        private long pairs;
        private long entries;
        private long inTime;
        private long inside;
        private double sleeps;

        Turns(int number, CountDownLatch start, AtomicReference<@Nullable Throwable> failure) {
            super("load-" + number);
            this.number = number;
            this.start = start;
            this.failure = failure;
            mine = Arrays.stream(slots(site.order().jvm() * threads + number))
                    .boxed()
                    .flatMap(this::locks)
                    .toArray(GuardedLock[]::new);
        }

        /** Returns the locks of a slot that are used in turn. */
        private Stream<GuardedLock> locks(int slot) {
            Contender client = site.client(number);
            String name = "lock:" + slot;
            ExclusionBoard board = site.board();
            if (permits > 0) {
                return Stream.of(GuardedLock.among(permits, client.permit(name, permits), board, slot));
            }
            if (reads == 0) {
                return Stream.of(GuardedLock.alone(client.lock(name), board, slot, site.who(number)));
            }
            List<GuardedLock> cycle = new ArrayList<>();
            GuardedLock read = GuardedLock.reading(client.readLock(name), board, slot);
            GuardedLock write = GuardedLock.alone(client.writeLock(name), board, slot, site.who(number));
            for (int i = 0; i < CYCLE; i++) {
                cycle.add(i < reads ? read : write);
            }
            Collections.rotate(cycle, number); // so that threads do not write at the same time
            return cycle.stream();
        }

        private int[] slots(int global) {
            if (locks == 0) {
                return new int[] {global};
            }
            int share = Math.max(1, locks / threads);
            int[] all = new int[share];
            Arrays.setAll(all, i -> (global + i * threads) % locks);
            return all;
        }

        @Override
        public void run() {
            try {
                start.await();
                for (int i = 0; System.nanoTime() < end; i = i + 1 == mine.length ? 0 : i + 1) {
                    turn(mine[i]);
                }
                sleeps = Machine.sleepsOfThisThread();
            } catch (Throwable e) {
                failure.compareAndSet(null, e);
            }
        }

        private void turn(GuardedLock lock) {
            long asked = System.nanoTime();
            lock.lock();
            long got = System.nanoTime();
            lock.enter();
            if (hold > 0) {
                stay(got + hold);
            }
            lock.exit();
            long left = System.nanoTime();
            lock.unlock();
            Wait.record(waits, got - asked);
            inside += left - got;
            pairs++;
            if (!lock.isReading()) {
                entries++;
                if (reads > 0) {
                    Wait.record(writes, got - asked);
                }
            }
            if (System.nanoTime() <= end) {
                inTime++;
            }
        }

        private void stay(long until) {
            for (long left = until - System.nanoTime(); left > 0; left = until - System.nanoTime()) {
                LockSupport.parkNanos(left);
            }
        }
    }
}
