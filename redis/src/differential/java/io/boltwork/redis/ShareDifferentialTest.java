// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.boltwork.testkit.wait.Slack;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Compares the rules of shared locks in Java with the scripts, see {@link ShareDifferentialRun}. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class ShareDifferentialTest {

    private static final int SEQUENCES = Integer.getInteger(
            "boltwork.sequences",
            Boolean.getBoolean("boltwork.proof") ? 100 : Boolean.getBoolean("boltwork.whole") ? 5 : 2);

    @Test
    void redisAndMemoryAnswerAlike() throws Exception {
        Optional<SteppedRedis> started = SteppedRedis.start();
        assumeTrue(
                started.isPresent(),
                "SKIPPED: a server's clock that stands still needs libfaketime (Debian: faketime), which is not"
                        + " installed");
        long first = Long.getLong("boltwork.seed", ThreadLocalRandom.current().nextLong());
        Map<String, Integer> counts = new TreeMap<>();
        try (SteppedRedis redis = started.get();
                ShareDifferentialBed site = new ShareDifferentialBed(redis, Slack.seconds(10))) {
            for (long seed = first; seed < first + SEQUENCES; seed++) {
                ShareDifferentialRun run = new ShareDifferentialRun(site, seed, counts);
                try {
                    run.execute();
                } catch (AssertionError e) {
                    throw new AssertionError(
                            "-Dboltwork.seed=" + seed + ": " + e.getMessage() + "\nThe last commands:\n" + run, e);
                }
            }
        }
        System.out.println(counts);
        assertThat(counts).isNotEmpty();
    }
}
