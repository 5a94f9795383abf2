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

/**
 * Checks locks that are shared with Redisson by random commands, see {@link BridgeSequence}. A failure names the seed
 * for {@code -Dboltwork.seed}; {@code -Dboltwork.sequences} is the number of sequences.
 */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class BridgeSequenceTest {

    private static final int SEQUENCES = Integer.getInteger("boltwork.sequences", 30);

    @Test
    void bothKeysAgreeAfterEveryCommand() throws Exception {
        Optional<SteppedRedis> started = SteppedRedis.start();
        assumeTrue(started.isPresent(), "SKIPPED: a clock that stands still needs libfaketime (Debian: faketime)");
        long first = Long.getLong("boltwork.seed", ThreadLocalRandom.current().nextLong());
        Map<String, Integer> counts = new TreeMap<>();
        try (SteppedRedis redis = started.get();
                BridgeBed site = new BridgeBed(redis, Slack.seconds(10))) {
            for (long seed = first; seed < first + SEQUENCES; seed++) {
                BridgeSequence sequence = new BridgeSequence(site, seed, counts);
                try {
                    sequence.execute();
                } catch (AssertionError e) {
                    throw new AssertionError(
                            "-Dboltwork.seed=" + seed + ": " + e.getMessage() + "\nThe last commands:\n" + sequence, e);
                }
            }
        }
        System.out.println(counts);
        assertThat(counts.keySet())
                .contains(
                        "0",
                        "Acquire GRANTED",
                        "Acquire QUEUED",
                        "Acquire QUEUED closed",
                        "Acquire REFUSED closed",
                        "ForceRelease not taken",
                        "ForceRelease taken",
                        "Release NOT_HELD",
                        "Release RELEASED",
                        "grant",
                        "left",
                        "refused",
                        "refused without the bridge",
                        "renewal LOST",
                        "renewal OK",
                        "taken");
    }
}
