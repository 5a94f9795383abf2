// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.boltwork.bench.job.Worker;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class MachineTest {
    private static final int SLEEPS = 20;

    @Test
    void sleepsOfLiveThreadsAreCounted() throws InterruptedException {
        Sleeper ended = new Sleeper(); // its counts must not be missing afterwards
        ended.slept.await();
        Map<Path, Double> before = Machine.sleeps();
        assumeTrue(!before.isEmpty(), "only Linux counts the sleeps of threads");
        ended.end();
        Sleeper other = new Sleeper();
        double mine = Machine.sleepsOfThisThread();
        sleep();
        mine = Machine.sleepsOfThisThread() - mine;
        other.slept.await();
        assertThat(mine).isBetween((double) SLEEPS, 10.0 * SLEEPS);
        assertThat(other.sleeps).isBetween((double) SLEEPS, 10.0 * SLEEPS);
        assertThat(Machine.growth(before, Machine.sleeps())).isGreaterThanOrEqualTo(mine + other.sleeps);
        other.end();
    }

    @Test
    void compilationTimeIsKnown() {
        Map<Path, Double> compilers = Machine.compilers();
        assumeTrue(!compilers.isEmpty(), "only Linux reports the work of threads");
        assertThat(Machine.growth(Map.of(), compilers)).isPositive().isLessThan(Worker.cpuSeconds());
    }

    /** A thread that sleeps a fixed number of times, and then lives until {@link #end}. */
    private static final class Sleeper {
        final CountDownLatch slept = new CountDownLatch(1);
        private final CountDownLatch end = new CountDownLatch(1);
        private final Thread thread = new Thread(this::run);
        volatile double sleeps;

        Sleeper() {
            thread.setDaemon(true); // must not keep the JVM alive if an assertion fails
            thread.start();
        }

        void end() throws InterruptedException {
            end.countDown();
            thread.join();
        }

        private void run() {
            try {
                sleep();
                sleeps = Machine.sleepsOfThisThread();
                slept.countDown();
                end.await();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }

    private static void sleep() throws InterruptedException {
        for (int i = 0; i < SLEEPS; i++) {
            Thread.sleep(1); // the test counts these sleeps
        }
    }
}
