// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.FencedLock;
import io.boltwork.LockClient;
import io.boltwork.LockOptions;
import io.boltwork.testkit.server.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Tests that names which were used once leave nothing in Redis without an expiry. */
@EnabledIfSystemProperty(named = "boltwork.proof", matches = "true", disabledReason = "long: -Dboltwork.proof=true")
class ManyNamesOnRedisTest {
    private static final int NAMES = 30_000;

    /* As the sizing table in docs/run/operations.md says. */
    private static final double MOST_BYTES = 250;

    /*
     * Counts the keys of locks, and lists those that live for ever, for less than 7/8 of ten minutes or for longer than
     * ten and a lease.
     */
    private static final String CHECK = """
            local cursor, seen, bad = '0', 0, {}
            repeat
                local page = redis.call('SCAN', cursor, 'MATCH', 'boltwork:{*', 'COUNT', 1000)
                cursor = page[1]
                for _, key in ipairs(page[2]) do
                    seen = seen + 1
                    local ttl = redis.call('PTTL', key)
                    if ttl < 525000 - ARGV[1] or ttl > 630000 then
                        bad[#bad + 1] = key .. ' ' .. ttl
                    end
                end
            until cursor == '0'
            table.insert(bad, 1, tostring(seen))
            return bad
            """;

    @Test
    void everyKeyOfALockExpires() {
        try (RedisServer server = RedisServer.start();
                LockClient client = LockClient.create(RedisBackend.connect(server.uri()))) {
            long before = usedMemory(server);
            long begin = System.nanoTime();
            IntStream.range(0, NAMES).parallel().forEach(i -> {
                FencedLock lock = client.lock("order:" + i);
                lock.lock();
                lock.unlock();
            });
            double bytes = (usedMemory(server) - before) / (double) NAMES;
            long passed = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin);
            assertThat(server.command("EVAL", CHECK, "0", "" + passed)).isEqualTo(List.of(Integer.toString(NAMES)));
            System.out.printf("an idle lock takes %.0f bytes in Redis%n", bytes);
            assertThat(bytes).as("bytes for each idle lock").isBetween(100.0, MOST_BYTES);
        }
    }

    private static long usedMemory(RedisServer server) {
        String memory = server.command("INFO", "memory").toString();
        return Long.parseLong(memory.replaceAll("(?s).*\\bused_memory:(\\d+).*", "$1"));
    }

    @Test
    void aKeyOutlivesTheLongestLease() {
        try (RedisServer server = RedisServer.start();
                LockClient client = LockClient.create(RedisBackend.connect(server.uri()))) {
            FencedLock lock = client.lock("order", LockOptions.fixedLease(Duration.ofDays(300)));
            lock.lock();
            assertThat((Long) server.command("PTTL", "boltwork:{order}"))
                    .isGreaterThanOrEqualTo(Duration.ofDays(300).toMillis() - 60_000);
            lock.unlock();
        }
    }
}
