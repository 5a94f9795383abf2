package io.boltwork.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.concurrent.SynchronousQueue;
import org.junit.jupiter.api.Test;

class MachineTest {
    private static final int TURNS = 200;

    @Test
    void everyTurnBetweenTwoThreadsIsASleep() throws InterruptedException {
        long before = Machine.sleeps();
        assumeTrue(before >= 0, "only Linux counts the sleeps of threads");
        SynchronousQueue<Integer> turns = new SynchronousQueue<>();
        long[] its = new long[1];
        Thread other = new Thread(() -> {
            try {
                while (turns.take() < TURNS) {
                    Thread.sleep(0, 100_000); // whoever gives the next one does sleep
                }
                its[0] = Machine.sleepsOfThisThread();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
        other.start();
        long mine = Machine.sleepsOfThisThread();
        for (int i = 1; i <= TURNS; i++) {
            turns.put(i);
        }
        other.join();
        mine = Machine.sleepsOfThisThread() - mine;
        assertThat(its[0]).isGreaterThanOrEqualTo(TURNS / 2);
        assertThat(mine).isGreaterThanOrEqualTo(TURNS / 2);
        assertThat(Machine.sleeps() - before)
                .as("the other one has ended, and is not counted any more")
                .isGreaterThanOrEqualTo(mine);
    }
}
