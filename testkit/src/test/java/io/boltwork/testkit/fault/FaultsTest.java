// SPDX-License-Identifier: Apache-2.0
package io.boltwork.testkit.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.boltwork.memory.MemoryServer;
import io.boltwork.testkit.server.RedisErrorException;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.server.RespConnection;
import io.boltwork.testkit.wait.Slack;
import io.boltwork.testkit.wait.Task;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class FaultsTest {

    static Stream<Arguments> refusals() {
        Stream<Supplier<RedisServer>> servers = Stream.of(RedisServer::start, RedisServer::startEmbedded);
        return servers.flatMap(server -> Stream.of(
                refusal(server, Faults::memoryFull, "OOM"),
                refusal(server, Faults::readOnly, "READONLY"),
                refusal(server, redis -> Faults.missingRight(redis, "set"), "NOPERM"),
                refusal(server, Faults::busy, "BUSY"),
                refusal(server, redis -> Faults.loading(redis, Duration.ofSeconds(5)), "LOADING")));
    }

    private static Arguments refusal(Supplier<RedisServer> server, Function<RedisServer, Fault> fault, String code) {
        return Arguments.of(server, fault, code);
    }

    @ParameterizedTest
    @MethodSource("refusals")
    void aRefusingServerIsHealed(Supplier<RedisServer> server, Function<RedisServer, Fault> fault, String code) {
        try (RedisServer redis = server.get();
                Fault injected = fault.apply(redis)) {
            redis.command("SET", "k", "v");
            for (int i = 0; i < 2; i++) {
                injected.inject();
                injected.inject();
                assertThatExceptionOfType(RedisErrorException.class)
                        .isThrownBy(() -> redis.command("SET", "k", "other"))
                        .withMessageContaining(code);
                injected.heal();
                injected.heal();
                assertThat(redis.command("GET", "k")).isEqualTo("v");
                assertThat(redis.command("SET", "k", "v")).isEqualTo("OK");
                assertThat(redis.command("DBSIZE")).isEqualTo(1L);
            }
            assertThat(injected.toString()).startsWith("the redis-server");
        }
    }

    @Test
    void killsRestartsAndFlushesForgetTheRightThings() {
        try (RedisServer redis = RedisServer.start()) {
            redis.command("SET", "k", "v");
            Faults.restartWithData(redis).inject();
            assertThat(redis.command("GET", "k")).isEqualTo("v");
            Faults.restartEmpty(redis).inject();
            assertThat(redis.command("GET", "k")).isNull();
            redis.command("SET", "k", "v");
            Faults.flush(redis).inject();
            assertThat(redis.command("GET", "k")).isNull();
            Fault killed = Faults.kill(redis);
            killed.inject();
            assertThat(redis.toString()).contains("not running");
            killed.heal();
            assertThat(redis.command("PING")).isEqualTo("PONG");
            String script = String.valueOf(redis.command("SCRIPT", "LOAD", "return 1"));
            Faults.flushScripts(redis).inject();
            assertThat(String.valueOf(redis.command("SCRIPT", "EXISTS", script)))
                    .isEqualTo("[0]");
        }
    }

    @Test
    void aPauseIsOverAfterHealing() {
        try (RedisServer redis = RedisServer.start();
                Fault paused = Faults.pause(redis, Duration.ofMillis(500))) {
            long start = System.nanoTime();
            paused.inject();
            paused.heal();
            assertThat(redis.command("PING")).isEqualTo("PONG");
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(450));
        }
    }

    @Test
    void aFrozenServerContinuesAfterHealing() throws Exception {
        try (RedisServer redis = RedisServer.start();
                RespConnection resp = new RespConnection(redis.host(), redis.port(), Slack.seconds(5));
                RespConnection impatient = new RespConnection(redis.host(), redis.port(), Duration.ofMillis(100));
                Fault frozen = Faults.freeze(redis)) {
            frozen.inject();
            Task<Object> asked = Task.start("asks", () -> String.valueOf(resp.call("PING")));
            assertThatExceptionOfType(SocketTimeoutException.class).isThrownBy(() -> impatient.call("PING"));
            assertThat(asked.isDone()).isFalse();
            frozen.heal();
            assertThat(asked.get()).isEqualTo("PONG");
        }
    }

    @Test
    void aClockJumpsAndGoesBack() {
        MemoryServer server = MemoryServer.create();
        long before = server.time().millis();
        Fault jump = Faults.clockJump(server, Duration.ofHours(1));
        jump.inject();
        assertThat(server.time().millis()).isGreaterThanOrEqualTo(before + 3_600_000);
        jump.heal();
        assertThat(server.time().millis()).isLessThan(before + 3_600_000);
    }
}
