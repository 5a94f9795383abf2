// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.job;

import com.sun.management.ThreadMXBean;
import io.boltwork.bench.contender.BenchLock;
import io.boltwork.bench.measure.Figure;
import io.boltwork.bench.measure.Wait;
import io.boltwork.bench.measure.WorkOutcome;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/** Measures the heap that locks need while they are held and afterwards, and what a pair allocates. */
public final class FootprintJob implements Job {
    public static final String NAME = "footprint";

    /** The prefix of all lock names. */
    public static final String PREFIX = "footprint:";

    /** True if many locks are held at once. A floor that is not a lock cannot hold any. */
    public static final String HOLD = "hold";

    /** The time in ms after which a library has forgotten what it does not need. */
    public static final String SETTLE = "settle";

    public static final String HELD = "held";
    public static final String RELEASE = "release";
    public static final String IDLE = "idle";
    public static final String PAIRS = "pairs";

    private static final int WARM_UP_PAIRS = 5_000;
    private static final int COLLECTIONS = 4;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final JobContext site;
    private final int locks;

    FootprintJob(JobContext site) {
        this.site = site;
        locks = site.order().count(LoadJob.LOCKS);
    }

    @Override
    public void warmUp() {
        pairs(WARM_UP_PAIRS);
        for (int i = 0; i < WARM_UP_PAIRS; i++) { // different names, so that what a client makes once exists
            BenchLock lock = site.lock(0, "warm-up:" + i % 100);
            lock.lock();
            lock.unlock();
        }
    }

    @Override
    public WorkOutcome run() throws InterruptedException {
        Map<String, Double> figures = new LinkedHashMap<>();
        if (site.order().number(HOLD) != 0) {
            settle();
            double before = liveHeap();
            for (int i = 0; i < locks; i++) {
                site.lock(0, PREFIX + i).lock(); // the object is dropped, as in applications that ask for it again
            }
            figures.put(Figure.HEAP_HELD.name(), (liveHeap() - before) / locks);
            site.say(HELD);
            site.await(RELEASE);
            for (int i = 0; i < locks; i++) {
                site.lock(0, PREFIX + i).unlock();
            }
            settle();
            figures.put(Figure.HEAP_IDLE.name(), (liveHeap() - before) / locks);
            site.say(IDLE);
            site.await(PAIRS);
        }
        figures.put(Figure.ALLOCATED.name(), allocated());
        return new WorkOutcome(new long[] {1}, 1, 0, 1, 0, Wait.encode(Wait.histogram()), figures);
    }

    /** Returns the bytes that all threads of the JVM allocate per pair, those of the caller and of the library. */
    private double allocated() {
        long millis = site.order().number(LoadJob.MILLIS);
        long before = allAllocated();
        long pairs = 0;
        for (long end = System.nanoTime() + Duration.ofMillis(millis).toNanos(); System.nanoTime() < end; ) {
            pairs += pairs(100);
        }
        return (allAllocated() - before) / (double) pairs;
    }

    private int pairs(int count) {
        BenchLock lock = site.lock(0, "pair");
        for (int i = 0; i < count; i++) {
            lock.lock();
            lock.unlock();
        }
        return count;
    }

    private long allAllocated() {
        return Arrays.stream(threads.getThreadAllocatedBytes(threads.getAllThreadIds()))
                .filter(bytes -> bytes > 0)
                .sum();
    }

    private void settle() throws InterruptedException {
        Thread.sleep(site.order().number(SETTLE));
    }

    private static double liveHeap() {
        for (int i = 0; i < COLLECTIONS; i++) {
            System.gc();
        }
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}
