// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.LockClient;
import io.boltwork.memory.MemoryBackend;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Slack;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Three JVMs with different clocks run a job once per period. */
class ScheduledJobTest {
    private static final int PERIODS = 4;

    @Test
    void threeInstancesWithWrongClocksRunTheJobOncePerPeriod() throws Exception {
        long period = Slack.seconds(2).toMillis();
        String ahead = Long.toString(period / 10);
        try (RedisServer redis = RedisServer.start();
                Instances instances = new Instances(redis.uri())) {
            instances.start(ScheduledJob.class, "early", ahead, "" + period);
            instances.start(ScheduledJob.class, "exact", "0", "" + period);
            instances.start(ScheduledJob.class, "late", "-" + ahead, "" + period);

            Map<Long, List<String>> complete = new HashMap<>();
            while (complete.values().stream().filter(lines -> lines.size() == 3).count() < PERIODS) {
                String line = instances.nextLine(); // such as: early: period 88 runs the job
                complete.computeIfAbsent(Long.valueOf(line.split(" ")[2]), number -> new ArrayList<>())
                        .add(line);
            }
            complete.values().removeIf(lines -> lines.size() < 3); // incomplete: some started or end later

            assertThat(complete).hasSize(PERIODS);
            assertThat(complete.values())
                    .allSatisfy(lines -> assertThat(lines)
                            .filteredOn(line -> line.endsWith("runs the job"))
                            .hasSize(1));
        }
    }

    @Test
    void sameInstanceDoesNotRepeatTheJob() {
        List<String> runs = new ArrayList<>();
        try (LockClient locks = LockClient.create(MemoryBackend.create())) {
            assertThat(ScheduledJob.runOnce(locks, Duration.ofHours(1), () -> runs.add("run")))
                    .isTrue();
            assertThat(ScheduledJob.runOnce(locks, Duration.ofHours(1), () -> runs.add("again")))
                    .isFalse();
        }
        assertThat(runs).containsExactly("run");
    }
}
