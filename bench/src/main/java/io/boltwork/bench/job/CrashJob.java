// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.job;

import io.boltwork.bench.contender.BenchLock;
import io.boltwork.bench.measure.Figure;
import io.boltwork.bench.measure.Wait;
import io.boltwork.bench.measure.WorkOutcome;
import io.boltwork.bench.scenario.Crash;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * A JVM that holds a lock, or waits for it and is killed meanwhile, or waits for it and reports when it got it. See
 * {@link Crash}.
 */
public final class CrashJob implements Job {
    public static final String NAME = "crash";
    public static final String LOCK = "crash";

    /** The number of threads of this JVM that wait. The first JVM holds the lock instead. */
    public static final String DOOMED = "doomed";

    public static final String HELD = "held";
    public static final String RELEASE = "release";
    public static final String WAITING = "waiting";

    private static final int REHEARSALS = 200;

    private final JobContext site;
    private final BenchLock lock;

    CrashJob(JobContext site) {
        this.site = site;
        lock = site.lock(0, LOCK);
    }

    @Override
    public void warmUp() {
        BenchLock other = site.lock(0, "rehearsal:" + site.order().jvm());
        for (int i = 0; i < REHEARSALS; i++) {
            other.lock();
            other.unlock();
        }
        if (site.order().jvm() == 0) {
            lock.lock();
        }
    }

    @Override
    public WorkOutcome run() throws InterruptedException {
        return switch (site.order().jvm()) {
            case 0 -> hold();
            case 1 -> await();
            default -> doom();
        };
    }

    private WorkOutcome hold() throws InterruptedException {
        site.say(HELD);
        site.await(RELEASE);
        long when = System.nanoTime();
        lock.unlock();
        return at(when);
    }

    private WorkOutcome await() {
        site.say(WAITING);
        lock.lock();
        long when = System.nanoTime();
        lock.unlock();
        return at(when);
    }

    private WorkOutcome doom() throws InterruptedException {
        for (int i = 0; i < site.order().count(DOOMED); i++) {
            int number = i;
            new Thread(() -> site.lock(number, LOCK).lock(), "doomed-" + i).start();
        }
        site.say(WAITING);
        Thread.currentThread().join(); // until it is killed
        throw new AssertionError();
    }

    /** All JVMs of a machine read the same clock. */
    private static WorkOutcome at(long when) {
        Histogram none = Wait.histogram();
        return new WorkOutcome(
                new long[] {1}, 1, 0, 1, 0, Wait.encode(none), Map.of(Figure.WHEN.name(), (double) when));
    }
}
