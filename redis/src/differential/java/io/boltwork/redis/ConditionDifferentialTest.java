// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Slack;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Compares the answers of Redis and of the memory server about conditions, as {@link DifferentialTest} does about
 * locks. {@code -Dboltwork.sequences} is the number of sequences.
 */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
@Tag("load")
class ConditionDifferentialTest {
    private static final int SEQUENCES = Integer.getInteger("boltwork.sequences", 5);

    /** The last digit of the seeds of sequences with conditions. */
    private static final int KIND = 4;

    @Test
    void redisAndMemoryAnswerAlikeAboutConditions() throws Exception {
        try (RedisServer redis = RedisServer.start();
                DifferentialBed site = new DifferentialBed(redis.uri(), Slack.seconds(5))) {
            compare(site);
        }
    }

    @Test
    void redisAndMemoryAnswerAlikeAboutConditionsAtEveryEdge() throws Exception {
        Optional<SteppedRedis> started = SteppedRedis.start();
        assumeTrue(
                started.isPresent(),
                "SKIPPED: a server's clock that stands still needs libfaketime (Debian: faketime), which is not"
                        + " installed");
        try (SteppedRedis redis = started.get();
                DifferentialBed site = new DifferentialBed(redis, Slack.seconds(5))) {
            compare(site);
        }
    }

    private static void compare(DifferentialBed site) throws Exception {
        long first = Long.getLong("boltwork.seed", ThreadLocalRandom.current().nextLong());
        Map<String, Integer> counts = new TreeMap<>();
        for (int i = 0; i < SEQUENCES; i++) {
            long seed = Math.floorDiv(first, 10) * 10 + 10L * i + KIND;
            DifferentialRun run = new DifferentialRun(site, seed, counts);
            try {
                run.execute();
            } catch (AssertionError e) {
                throw new AssertionError(
                        "-Dboltwork.seed=" + seed + ": " + e.getMessage() + "\nThe last commands:\n" + run, e);
            }
        }
        assertThat(counts).containsKey("grant");
    }
}
