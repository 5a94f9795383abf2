// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.boltwork.testkit.wait.Slack;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Compares the answers also with a Redis whose clock the test sets: at the edges of leases, a millisecond before and
 * after them, when the clock goes back, and when keys expire. The test continues until every situation in {@code
 * situations.txt} has been seen. A failure names its sequence as {@link DifferentialTest} does.
 */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
@Tag("load")
class DifferentialTimeTest {
    private static final int MOST_SEQUENCES = 300;

    @Test
    void redisAndMemoryAnswerAlikeAtEveryEdge() throws Exception {
        Optional<SteppedRedis> started = SteppedRedis.start();
        assumeTrue(
                started.isPresent(),
                "SKIPPED: a server's clock that stands still needs libfaketime (Debian: faketime), which is not"
                        + " installed");
        long first = Long.getLong("boltwork.seed", ThreadLocalRandom.current().nextLong());
        Map<String, Integer> counts = new TreeMap<>();
        try (SteppedRedis redis = started.get();
                DifferentialBed site = new DifferentialBed(redis, Slack.seconds(5))) {
            for (long seed = first;
                    seed < first + MOST_SEQUENCES && !missing(counts).isEmpty();
                    seed++) {
                DifferentialRun run = new DifferentialRun(site, seed, counts);
                try {
                    run.execute();
                } catch (AssertionError e) {
                    throw new AssertionError(
                            "-Dboltwork.seed=" + seed + ": " + e.getMessage() + "\nThe last commands:\n" + run, e);
                }
            }
        }
        assertThat(missing(counts)).as("situations that were never seen").isEmpty();
    }

    private static Set<String> missing(Map<String, Integer> counts) throws IOException {
        try (InputStream in = DifferentialTimeTest.class.getResourceAsStream("situations.txt")) {
            Set<String> missing = new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .collect(Collectors.toCollection(TreeSet::new));
            missing.removeAll(counts.keySet());
            return missing;
        }
    }
}
