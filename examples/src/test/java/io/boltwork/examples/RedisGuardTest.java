// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.fence.RedisFence;
import io.boltwork.fence.StaleTokenException;
import io.boltwork.memory.MemoryBackend;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Task;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.cluster.SlotHash;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Guards on a real Redis. */
class RedisGuardTest {
    private static final long EXACT = 1L << 53;

    private static final RedisServer REDIS = RedisServer.start();
    private static final RedisClient CLIENT = RedisClient.create(REDIS.uri());
    private static final StatefulRedisConnection<String, String> CONNECTION = CLIENT.connect();

    private final RedisCommands<String, String> commands = CONNECTION.sync();
    private final RedisFence.Scripts scripts = (script, keys, arguments) -> commands.eval(
            script, ScriptOutputType.VALUE, keys.toArray(String[]::new), arguments.toArray(String[]::new));
    private final RedisFence fence = RedisFence.on(scripts);

    @BeforeEach
    void empty() {
        commands.flushall();
    }

    @AfterAll
    static void close() {
        CONNECTION.close();
        CLIENT.shutdown();
        REDIS.close();
    }

    @Test
    void aLateWriterChangesNoKey() {
        fence.check("price", 42);
        fence.set("price", "41", 42);
        fence.set("price", "43", 43);
        assertThatExceptionOfType(StaleTokenException.class)
                .isThrownBy(() -> fence.set("price", "40", 42))
                .matches(stale -> stale.resource().equals("price"))
                .matches(stale -> stale.token() == 42 && stale.newerToken() == 43);
        assertThatThrownBy(() -> fence.check("price", 42)).isInstanceOf(StaleTokenException.class);
        assertThat(commands.get("price")).isEqualTo("43");
        fence.check("other", 1);
        assertThat(fence.accepted()).isEqualTo(4);
        assertThat(fence.refused()).isEqualTo(2);
    }

    /** Numbers of Lua are doubles, which would round these tokens. */
    @ParameterizedTest
    @ValueSource(longs = {9, 99, 999_999, EXACT - 1, EXACT, EXACT + 1, Long.MAX_VALUE - 1})
    void tokensOfAnySizeAreComparedExactly(long token) {
        fence.check("a", token);
        fence.check("a", token + 1);
        assertThatExceptionOfType(StaleTokenException.class)
                .isThrownBy(() -> fence.check("a", token))
                .matches(stale -> stale.newerToken() == token + 1);
        assertThat(commands.get(fence.key("a"))).isEqualTo(Long.toString(token + 1));
    }

    @Test
    void theExpiryIsSetAnewAndNeverEarlier() {
        RedisFence longer = fence.withIdleLife(Duration.ofDays(30));
        fence.check("a", 1);
        assertThat(days("a")).isEqualTo(7);
        commands.pexpire(fence.key("a"), Duration.ofDays(2));
        fence.check("a", 1);
        assertThat(days("a")).isEqualTo(7);
        longer.check("a", 2);
        assertThat(days("a")).isEqualTo(30);
        fence.check("a", 3);
        assertThat(days("a"))
                .as("after a write of a client with a shorter time")
                .isEqualTo(30);
        assertThatThrownBy(() -> longer.check("a", 1)).isInstanceOf(StaleTokenException.class);
        assertThat(days("a")).isEqualTo(30);
        commands.persist(fence.key("a"));
        fence.check("a", 4);
        assertThat(commands.pttl(fence.key("a"))).as("a key that never expires").isEqualTo(-1);
    }

    @Test
    void aMalformedTokenIsAnError() {
        commands.set(fence.key("a"), "x");
        assertThatThrownBy(() -> fence.check("a", 1))
                .isInstanceOf(RedisCommandExecutionException.class)
                .hasMessageContaining("holds no token");
        commands.lpush(fence.key("b"), "1");
        assertThatThrownBy(() -> fence.check("b", 1)).hasMessageContaining("WRONGTYPE");
        String script = RedisFence.include() + "return boltwork_fence(KEYS[1], ARGV[1], ARGV[2]) or ''";
        for (String bad : new String[] {"", "0", "01", "1e3", "-1", "1.5"}) {
            assertThatThrownBy(() -> scripts.run(script, List.of("k"), List.of(bad, "1000")))
                    .hasMessageContaining("token must be a positive integer, but is " + bad);
        }
        assertThat(commands.exists("k")).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"stock", "{shop}stock", "{stock}", "a{b}c{d}", "stock{"})
    void theTokenIsInTheSlotOfItsResource(String resource) {
        assertThat(SlotHash.getSlot(fence.key(resource))).isEqualTo(SlotHash.getSlot(resource));
    }

    @Test
    void concurrentWritersLeaveTheValueOfTheNewest() {
        List<Task<Void>> writers = new ArrayList<>();
        for (int writer = 0; writer < 4; writer++) {
            List<Long> tokens = LongStream.rangeClosed(1, 200).boxed().collect(Collectors.toList());
            Collections.shuffle(tokens);
            writers.add(Task.start("writer-" + writer, () -> {
                for (long token : tokens) {
                    try {
                        fence.set("price", "price of " + token, token);
                    } catch (StaleTokenException stale) {
                        assertThat(stale.newerToken()).isGreaterThan(token);
                    }
                }
                return null;
            }));
        }
        writers.forEach(Task::get);
        assertThat(commands.get("price")).isEqualTo("price of 200");
        assertThat(fence.accepted() + fence.refused()).isEqualTo(800);
        assertThat(fence.refused()).isPositive();
    }

    @Test
    void scriptsOfTheApplicationCheckToo() {
        try (LockClient locks = LockClient.create(MemoryBackend.create())) {
            FencedLock lock = locks.lock("stock");
            Lease late = lock.acquire();
            late.release();
            try (Lease lease = lock.acquire()) {
                GuardedCache.sell(scripts, fence, lease);
                assertThatThrownBy(() -> GuardedCache.sell(scripts, fence, late))
                        .isInstanceOf(StaleTokenException.class);
                assertThat(GuardedCache.write(commands, lease).accepted()).isEqualTo(2);
            }
            assertThatThrownBy(() -> GuardedCache.write(commands, late)).isInstanceOf(StaleTokenException.class);
        }
        assertThat(commands.hget("{stock}", "apple")).isEqualTo("-1");
        assertThat(commands.get("prices")).isEqualTo("apple 40");
    }

    private long days(String resource) {
        return Math.round(commands.pttl(fence.key(resource)) / 86_400_000.0);
    }
}
