package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.FencedLock;
import io.boltwork.LockClient;
import io.boltwork.LockOptions;
import io.boltwork.testkit.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Names that were used once leave nothing in Redis that does not expire. */
class ManyNamesOnRedisTest {
    private static final int NAMES = 30_000;

    /* Counts the keys of locks, and lists those that live for ever, for less than a day or for more than two. */
    private static final String JUDGE = """
            local cursor, seen, bad = '0', 0, {}
            repeat
                local page = redis.call('SCAN', cursor, 'MATCH', 'boltwork:{*', 'COUNT', 1000)
                cursor = page[1]
                for _, key in ipairs(page[2]) do
                    seen = seen + 1
                    local ttl = redis.call('PTTL', key)
                    if ttl < 86000000 or ttl > 2 * 86400000 then
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
            IntStream.range(0, NAMES).parallel().forEach(i -> {
                FencedLock lock = client.lock("order:" + i);
                lock.lock();
                lock.unlock();
            });
            assertThat(server.command("EVAL", JUDGE, "0")).isEqualTo(List.of(Integer.toString(NAMES)));
        }
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
