// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.job;

import io.boltwork.bench.contender.BenchLatch;
import io.boltwork.bench.measure.Wait;
import io.boltwork.bench.measure.WorkOutcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;

/**
 * A latch that many callers of several clients wait for, again and again. The callers have had time to begin to wait
 * when the latch is counted down. The time is from then until a caller learns of it.
 */
public final class LatchJob implements Job {
    public static final String NAME = "latch";
    public static final String WAITERS = "waiters";

    private static final Duration SETTLE = Duration.ofMillis(200);
    private static final int PATIENCE_SECONDS = 30;

    private final JobContext site;
    private final List<BenchLatch> latches;

    LatchJob(JobContext site) {
        this.site = site;
        this.latches =
                site.clients().stream().map(client -> client.latch("start")).toList();
    }

    @Override
    public void warmUp() throws InterruptedException {
        Duration time = Duration.ofMillis(site.order().number(LoadJob.WARM_UP_MILLIS));
        WarmUp.pairs(site, time);
        rounds(time.multipliedBy(2), Wait.histogram());
    }

    @Override
    public WorkOutcome run() {
        Histogram waits = Wait.histogram();
        double cpu = Worker.cpuSeconds();
        Duration time = Duration.ofMillis(site.order().number(LoadJob.MILLIS)).multipliedBy(2);
        long passes = rounds(time, waits);
        cpu = Worker.cpuSeconds() - cpu;
        return new WorkOutcome(new long[] {passes}, passes, 0, time.toNanos() / 1e9, cpu, Wait.encode(waits), Map.of());
    }

    private long rounds(Duration time, Histogram waits) {
        long passes = 0;
        for (long end = System.nanoTime() + time.toNanos(); System.nanoTime() < end; ) {
            passes += round(waits);
        }
        return passes;
    }

    private int round(Histogram waits) {
        int waiters = site.order().count(WAITERS);
        latches.get(0).set().run();
        long[] told = new long[waiters];
        CompletableFuture<?>[] all = new CompletableFuture<?>[waiters];
        for (int i = 0; i < waiters; i++) {
            int at = i;
            all[i] = latches.get(i % latches.size())
                    .await()
                    .get()
                    .thenAccept(open -> told[at] = System.nanoTime())
                    .toCompletableFuture();
        }
        LockSupport.parkNanos(SETTLE.toNanos());
        long begin = System.nanoTime();
        latches.get(0).countDown().run();
        CompletableFuture.allOf(all)
                .orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS)
                .join();
        List<Long> times = new ArrayList<>();
        for (long time : told) {
            times.add(time - begin);
        }
        times.forEach(time -> Wait.record(waits, time));
        return waiters;
    }
}
