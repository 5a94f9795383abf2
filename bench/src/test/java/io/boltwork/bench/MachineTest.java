package io.boltwork.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class MachineTest {
    private static final int SLEEPS = 20;

    @Test
    void sleepsOfThreadsThatLiveAreCounted() throws InterruptedException {
        long before = Machine.sleeps();
        assumeTrue(before >= 0, "only Linux counts the sleeps of threads");
        long[] its = new long[1];
        CountDownLatch slept = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        Thread other = new Thread(() -> {
            try {
                sleep();
                its[0] = Machine.sleepsOfThisThread();
                slept.countDown();
                end.await();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
        other.setDaemon(true); // so that it ends if an assertion fails
        other.start();
        long mine = Machine.sleepsOfThisThread();
        sleep();
        mine = Machine.sleepsOfThisThread() - mine;
        slept.await();
        assertThat(mine).isBetween((long) SLEEPS, 10L * SLEEPS);
        assertThat(its[0]).isBetween((long) SLEEPS, 10L * SLEEPS);
        assertThat(Machine.sleeps() - before).isGreaterThanOrEqualTo(mine + its[0]);
        end.countDown();
        other.join();
    }

    @Test
    void whatTheCompilersHaveDoneIsKnown() {
        assumeTrue(Machine.sleeps() >= 0, "only Linux tells what threads have done");
        assertThat(Machine.compilers()).isPositive().isLessThan(Worker.cpuSeconds());
    }

    private static void sleep() throws InterruptedException {
        for (int i = 0; i < SLEEPS; i++) {
            Thread.sleep(1); // to sleep is the subject
        }
    }
}
