// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.testkit.BoltworkExtension;
import io.boltwork.testkit.TestLocks;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Task;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Three nodes are offered six jobs each, all at the same time. */
@ExtendWith(BoltworkExtension.class)
class SpreadJobsTest {
    private static final int NODES = 3;
    private static final int JOBS = 6;

    @Test
    void eachNodeRunsItsShare(TestLocks all) {
        Map<Integer, Integer> nodeOfJob = new ConcurrentHashMap<>();
        CountDownLatch allRun = new CountDownLatch(JOBS);
        CyclicBarrier ready = new CyclicBarrier(NODES * JOBS);
        List<Task<Boolean>> offers = new ArrayList<>();
        for (int node = 0; node < NODES; node++) {
            int number = node;
            SpreadJobs jobs = new SpreadJobs(all.newClient(), JOBS / NODES);
            for (int i = 0; i < JOBS; i++) {
                int job = i;
                Runnable work = () -> {
                    if (nodeOfJob.putIfAbsent(job, number) == null) {
                        allRun.countDown();
                    }
                    await(allRun);
                };
                offers.add(Task.start("node " + node + ", job " + job, () -> {
                    ready.await(30, TimeUnit.SECONDS);
                    Await.until("the job runs", () -> jobs.runHere("" + job, work) || nodeOfJob.containsKey(job));
                    return true;
                }));
            }
        }
        offers.forEach(Task::get);
        assertThat(nodeOfJob).hasSize(JOBS);
        for (int node = 0; node < NODES; node++) {
            assertThat(Collections.frequency(nodeOfJob.values(), node))
                    .as("jobs of node %d", node)
                    .isEqualTo(JOBS / NODES);
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
