// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Slack;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Compares the answers of a real Redis and of the in-memory server to random sequences of commands. A failure names
 * the seed of its sequence and its last commands; {@code -Dboltwork.seed=<seed>} begins with that sequence.
 */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
@Tag("load")
class DifferentialTest {
    private static final int SEQUENCES = Boolean.getBoolean("boltwork.whole") ? 8 : 4;

    /** The limit of sequences while a rare answer is still missing. */
    private static final int MOST_SEQUENCES = 48;

    private static final List<String> EVERY_ANSWER = List.of(
            "acquire GRANTED",
            "acquire GRANTED known",
            "acquire QUEUED",
            "acquire QUEUED known",
            "acquire AGAIN",
            "acquire STALE",
            "acquire STALE known",
            "announce",
            "force not taken",
            "force taken",
            "force then claimed",
            "force then free",
            "grant",
            "identify none",
            "identify some",
            "nudge then again",
            "nudge then claimed",
            "nudge then free",
            "nudge then kept",
            "nudge unknown",
            "refused no lock",
            "refused no memory",
            "release FORGOTTEN",
            "release NOT_HELD",
            "release RELEASED",
            "release next GRANTED",
            "release next QUEUED",
            "release next STALE",
            "release next AGAIN",
            "release then again",
            "release then claimed",
            "release then free",
            "release then kept",
            "renew 2 outcomes",
            "renew 3 outcomes",
            "renew BROKEN",
            "renew FORGOTTEN",
            "renew LOST",
            "renew OK",
            "renew STALE",
            "restore LOST",
            "restore OK",
            "restore STALE",
            "scan a client",
            "scan a lock without owner",
            "scan a lock owned",
            "scan no client",
            "scan no lock",
            "try AGAIN",
            "try GRANTED",
            "try GRANTED known",
            "try REFUSED",
            "try REFUSED known",
            "try STALE",
            "withdraw known",
            "withdraw then claimed",
            "withdraw then free",
            "withdraw unknown");

    @Test
    void redisAndMemoryAnswerAlike() throws Exception {
        try (RedisServer redis = RedisServer.start()) {
            compare(redis);
        }
    }

    @Test
    @EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
    void redis62AndMemoryAnswerAlike() throws Exception {
        try (RedisServer redis = RedisServer.startEmbedded()) {
            compare(redis);
        }
    }

    private static void compare(RedisServer redis) throws Exception {
        long first = Long.getLong("boltwork.seed", ThreadLocalRandom.current().nextLong());
        Map<String, Integer> counts = new TreeMap<>();
        try (DifferentialBed site = new DifferentialBed(redis.uri(), Slack.seconds(5))) {
            for (int i = 0;
                    i < SEQUENCES || i < MOST_SEQUENCES && !answers(counts).containsAll(EVERY_ANSWER);
                    i++) {
                long seed = first + i;
                DifferentialRun run = new DifferentialRun(site, seed, counts);
                try {
                    run.execute();
                } catch (AssertionError e) {
                    throw new AssertionError(
                            redis + ", -Dboltwork.seed=" + seed + ": " + e.getMessage() + "\nThe last commands:\n"
                                    + run,
                            e);
                }
            }
        }
        assertThat(answers(counts)).containsAll(EVERY_ANSWER);
    }

    private static Set<String> answers(Map<String, Integer> counts) {
        return counts.keySet().stream().flatMap(DifferentialTest::answers).collect(Collectors.toSet());
    }

    /** Returns the answers of situations, without the lock that the command found. */
    private static Stream<String> answers(String situation) {
        int colon = situation.indexOf(": ");
        if (colon < 0) {
            return Stream.of(situation);
        }
        String command = situation.substring(0, situation.indexOf(' ') < colon ? situation.indexOf(' ') : colon);
        return Stream.of(situation.substring(colon + 2).split(", "))
                .map(answer -> answer.replaceFirst("^next .*?([A-Z]+).*", "next $1"))
                .map(answer -> command + " " + answer);
    }
}
