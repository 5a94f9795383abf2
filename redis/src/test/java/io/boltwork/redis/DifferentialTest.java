package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.testkit.RedisServer;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;

/**
 * Random sequences of commands on a real Redis and on the in-memory server are answered alike. A failure names the
 * seed of its sequence and its last commands; {@code -Dboltwork.seed=<seed>} begins with that sequence.
 */
class DifferentialTest {
    private static final int SEQUENCES = 12;
    private static final int STEPS = 400;

    private static final String[] EVERY_ANSWER = {
        "Acquired GRANTED known",
        "Acquired GRANTED unknown",
        "Acquired QUEUED known",
        "Acquired QUEUED unknown",
        "Acquired REFUSED known",
        "Acquired REFUSED unknown",
        "Acquired STALE known",
        "Acquired STALE unknown",
        "Acquired a place far behind",
        "Grant",
        "Next GRANTED",
        "Next QUEUED",
        "Next STALE",
        "Next none",
        "Released FORGOTTEN",
        "Released NOT_HELD",
        "Released RELEASED",
        "Released claim",
        "Released no claim",
        "Renewed FORGOTTEN",
        "Renewed LOST",
        "Renewed OK",
        "Renewed STALE",
        "Restored LOST",
        "Restored OK",
        "Restored STALE",
        "Withdrawn claim",
        "Withdrawn known",
        "Withdrawn no claim",
        "Withdrawn unknown"
    };

    @Test
    void redisAndMemoryAnswerAlike() throws Exception {
        try (RedisServer redis = RedisServer.start()) {
            compare(redis);
        }
    }

    @Test
    void redis62AndMemoryAnswerAlike() throws Exception {
        try (RedisServer redis = RedisServer.startEmbedded()) {
            compare(redis);
        }
    }

    private static void compare(RedisServer redis) throws Exception {
        long first = Long.getLong("boltwork.seed", ThreadLocalRandom.current().nextLong());
        Map<String, Integer> counts = new TreeMap<>();
        for (long seed = first; seed != first + SEQUENCES; seed++) {
            DifferentialRun run = new DifferentialRun(redis, seed, counts);
            try (run) {
                run.execute(STEPS);
            } catch (AssertionError e) {
                throw new AssertionError(redis + ", -Dboltwork.seed=" + seed + ", the last commands:\n" + run, e);
            }
        }
        assertThat(counts).containsOnlyKeys(EVERY_ANSWER);
    }
}
