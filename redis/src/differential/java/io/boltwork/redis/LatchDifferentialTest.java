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

/** Compares the rules of latches in Java with the scripts, see {@link LatchDifferentialRun}. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class LatchDifferentialTest {

    private static final int SEQUENCES = Integer.getInteger("boltwork.sequences", 20);

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
                LatchDifferentialBed site = new LatchDifferentialBed(redis, Slack.seconds(10))) {
            for (long seed = first; seed < first + SEQUENCES; seed++) {
                LatchDifferentialRun run = new LatchDifferentialRun(site, seed, counts);
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
                        "SetCount DONE",
                        "SetCount OPEN",
                        "SetCount REFUSED",
                        "SetCount STALE",
                        "CountDown DONE",
                        "CountDown OPEN",
                        "CountDown UNKNOWN",
                        "CountDown STALE",
                        "Await OPEN",
                        "Await CLOSED",
                        "Await UNKNOWN",
                        "Opened");
    }
}
