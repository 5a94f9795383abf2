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

/** Compares the rules of votes in Java with the scripts, see {@link VoteDifferentialRun}. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class VoteDifferentialTest {

    private static final int SEQUENCES = Integer.getInteger("boltwork.sequences", 8);

    @Test
    void redisAndTheRulesAnswerAlike() throws Exception {
        Optional<SteppedRedis> started = SteppedRedis.start();
        assumeTrue(
                started.isPresent(),
                "SKIPPED: a server's clock that stands still needs libfaketime (Debian: faketime), which is not"
                        + " installed");
        long first = Long.getLong("boltwork.seed", ThreadLocalRandom.current().nextLong());
        Map<String, Integer> counts = new TreeMap<>();
        try (SteppedRedis redis = started.get();
                VoteDifferentialBed site = new VoteDifferentialBed(redis, Slack.seconds(10))) {
            for (long seed = first; seed < first + SEQUENCES; seed++) {
                VoteDifferentialRun run = new VoteDifferentialRun(site, seed, counts);
                try {
                    run.execute();
                } catch (AssertionError e) {
                    throw new AssertionError(
                            "-Dboltwork.seed=" + seed + ": " + e.getMessage() + "\nThe last commands:\n" + run, e);
                }
            }
        }
        System.out.println(counts);
        assertThat(counts.keySet())
                .contains(
                        "Vote GRANTED",
                        "Vote GRANTED known",
                        "Vote REFUSED",
                        "Vote STALE",
                        "Raise accepted",
                        "Raise refused",
                        "GiveBack RELEASED",
                        "GiveBack FORGOTTEN",
                        "GiveBack NOT_HELD",
                        "Restore OK",
                        "ForceRelease taken",
                        "ForceRelease not taken",
                        "Witness",
                        "some told",
                        "the most told",
                        "the most watchers");
    }
}
