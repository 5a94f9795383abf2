// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.job;

import io.boltwork.bench.contender.BenchLock;
import io.boltwork.bench.contender.ExclusionBoard;
import io.boltwork.bench.measure.Figure;
import io.boltwork.bench.measure.Wait;
import io.boltwork.bench.measure.WorkOutcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** A shop of a flash sale. Buyers come one after the other, each in its own thread, and buy an item if one is left. */
public final class SaleJob implements Job {
    public static final String NAME = "sale";

    public static final String SHOPS = "shops";

    /** The number of buyers of this shop. */
    public static final String BUYERS = "buyers";

    public static final String OVER_MILLIS = "overMillis";
    public static final String WORK_NANOS = "workNanos";
    public static final String STOCK = "stock";
    /** The time for which a buyer waits; 0 for no limit. */
    public static final String TRY_MILLIS = "tryMillis";

    private static final int LOCK = 0;
    private static final int LEFT = 1; // the slot with the number of items left, and one that shows that it is valid
    private static final int REHEARSALS = 60;

    private final JobContext site;
    private final ExclusionBoard board;
    private final int buyers;
    private final long work;
    private final long stock;
    private final Duration patience;
    private long entries;

    SaleJob(JobContext site) {
        this.site = site;
        board = site.board();
        buyers = site.order().count(BUYERS);
        work = site.order().number(WORK_NANOS);
        stock = site.order().number(STOCK);
        patience = Duration.ofMillis(site.order().number(TRY_MILLIS));
    }

    @Override
    public void warmUp() throws InterruptedException {
        WarmUp.handoffs(site, NAME, Duration.ofMillis(site.order().number(LoadJob.REHEARSAL_MILLIS)));
        sell(REHEARSALS, 0, 0);
        sell(REHEARSALS, 0, 0);
    }

    @Override
    public WorkOutcome run() throws InterruptedException {
        if (site.order().jvm() == 0) {
            board.mark(LEFT, stock);
        }
        return sell(buyers, Duration.ofMillis(site.order().number(OVER_MILLIS)).toNanos(), work);
    }

    private WorkOutcome sell(int count, long over, long time) throws InterruptedException {
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        List<Buyer> all = new ArrayList<>();
        double cpu = Worker.cpuSeconds();
        long begin = System.nanoTime();
        for (int i = 0; i < count; i++) {
            Buyer buyer = new Buyer(i, begin + over * i / count, time, failure);
            buyer.start();
            all.add(buyer);
        }
        for (Buyer buyer : all) {
            buyer.join();
        }
        Throwable failed = failure.get();
        if (failed != null) {
            throw new IllegalStateException("A buyer failed", failed);
        }
        List<Buyer> served = all.stream().filter(buyer -> buyer.left > 0).toList();
        long sold = all.stream().filter(buyer -> buyer.bought).count();
        entries += served.size();
        long last = served.stream().mapToLong(buyer -> buyer.left).max().orElse(begin);
        Histogram waits = Wait.histogram();
        served.forEach(buyer -> Wait.record(waits, buyer.got - buyer.asked));
        double inside = served.stream()
                .mapToLong(buyer -> buyer.left - buyer.got)
                .average()
                .orElse(0);
        return new WorkOutcome(
                new long[] {served.size()},
                served.size(),
                entries,
                Math.max(1, last - begin) / 1e9,
                Worker.cpuSeconds() - cpu,
                Wait.encode(waits),
                Map.of(
                        Figure.INSIDE.name(),
                        inside / 1e3,
                        Figure.TURNED_AWAY.name(),
                        (double) (count - served.size()),
                        Figure.SOLD.name(), // so that the mean of the shops is the total of all shops
                        (double) sold * site.order().number(SHOPS)));
    }

    private final class Buyer extends Thread {
        private final int number;
        private final long comes;
        private final long time;
        private final AtomicReference<@Nullable Throwable> failure;
        private final BenchLock lock;
        private long asked;
        private long got;
        private long left;
        private boolean bought;

        Buyer(int number, long comes, long time, AtomicReference<@Nullable Throwable> failure) {
            super("buyer-" + number);
            this.number = number;
            this.comes = comes;
            this.time = time;
            this.failure = failure;
            lock = site.lock(number, NAME);
        }

        @Override
        public void run() {
            try {
                sleepUntil(comes);
                asked = System.nanoTime();
                if (!enter()) {
                    return;
                }
                got = System.nanoTime();
                board.enter(LOCK, site.who(number));
                long before = board.mark(LEFT);
                sleepUntil(got + time);
                if (before > 0) {
                    board.mark(LEFT, before - 1);
                    bought = true;
                }
                board.exit(LOCK, site.who(number));
                left = System.nanoTime();
                lock.unlock();
            } catch (Throwable e) {
                failure.compareAndSet(null, e);
            }
        }

        private boolean enter() throws InterruptedException {
            if (patience.isZero()) {
                lock.lock();
                return true;
            }
            return lock.tryLock(patience);
        }

        private void sleepUntil(long until) {
            for (long rest = until - System.nanoTime(); rest > 0; rest = until - System.nanoTime()) {
                LockSupport.parkNanos(Math.min(rest, TimeUnit.SECONDS.toNanos(1)));
            }
        }
    }
}
