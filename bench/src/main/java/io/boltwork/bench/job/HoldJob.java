// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.job;

import io.boltwork.bench.contender.BenchLock;
import io.boltwork.bench.measure.Figure;
import io.boltwork.bench.measure.Machine;
import io.boltwork.bench.measure.Wait;
import io.boltwork.bench.measure.WorkOutcome;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Holds many locks with a few threads for a time. */
public final class HoldJob implements Job {
    public static final String NAME = "hold";

    /** The prefix of all lock names. */
    public static final String PREFIX = "held:";

    private static final int THREADS = 16;

    /** Optional: not 0 if permits of one semaphore are held, as many as there are, instead of locks. */
    public static final String ONE_SEMAPHORE = "oneSemaphore";

    /** As long as a lease, in which all contenders renew each lock at least twice. */
    private static final Duration LOOK = Duration.ofSeconds(6);

    /** The share of a processor below which compilers count as finished. Until then, code is slower. */
    private static final double QUIET = 0.005;

    private final JobContext site;
    private final int locks;
    private final boolean oneSemaphore;
    private final List<BenchLock> held = Collections.synchronizedList(new ArrayList<>());

    HoldJob(JobContext site) {
        this.site = site;
        locks = site.order().count(LoadJob.LOCKS);
        oneSemaphore = site.order().optional(ONE_SEMAPHORE) != 0;
    }

    @Override
    public void warmUp() throws InterruptedException {
        CountDownLatch holding = new CountDownLatch(THREADS);
        CountDownLatch never = new CountDownLatch(1);
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        for (int i = 0; i < THREADS; i++) {
            int first = i;
            Thread thread = new Thread(
                    () -> {
                        try {
                            for (int lock = first; lock < locks; lock += THREADS) {
                                BenchLock next = next(lock);
                                next.lock();
                                held.add(next); // as in an application that will unlock them
                            }
                            holding.countDown();
                            never.await(); // the holding thread must stay alive
                        } catch (Throwable e) {
                            failure.compareAndSet(null, e);
                            holding.countDown();
                        }
                    },
                    "holder-" + i);
            thread.setDaemon(true);
            thread.start();
        }
        holding.await();
        Throwable failed = failure.get();
        if (failed != null) {
            throw new IllegalStateException("A thread failed", failed);
        }
        long end = System.nanoTime()
                + TimeUnit.MILLISECONDS.toNanos(site.order().number(LoadJob.LONGEST_REHEARSAL_MILLIS));
        Thread.sleep(site.order().number(LoadJob.REHEARSAL_MILLIS));
        WarmUp.untilCompiled(() -> Thread.sleep(LOOK.toMillis()), QUIET * LOOK.toSeconds(), end);
    }

    private BenchLock next(int lock) {
        return oneSemaphore ? site.client(0).permit(PREFIX + "all", locks) : site.lock(0, PREFIX + lock);
    }

    @Override
    public WorkOutcome run() throws InterruptedException {
        Duration time = Duration.ofMillis(site.order().number(LoadJob.MILLIS));
        Map<Path, Double> compilers = Machine.compilers();
        double cpu = Worker.cpuSeconds();
        long begin = System.nanoTime();
        Thread.sleep(time.toMillis());
        double seconds = (System.nanoTime() - begin) / 1e9;
        // without the compilers, which have finished in a service that has run for a while
        cpu = Worker.cpuSeconds() - cpu - Machine.growth(compilers, Machine.compilers());
        long lost = held.stream().filter(lock -> !lock.isHeld()).count();
        if (lost > 0) {
            throw new IllegalStateException(lost + " of " + locks + " locks were lost");
        }
        return new WorkOutcome(
                new long[] {locks},
                locks,
                0,
                seconds,
                cpu,
                Wait.encode(Wait.histogram()),
                Map.of(Figure.CLIENT_CPU_SHARE.name(), cpu / seconds * 100));
    }
}
