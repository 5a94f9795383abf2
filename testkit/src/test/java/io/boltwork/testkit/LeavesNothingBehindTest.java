// SPDX-License-Identifier: Apache-2.0
package io.boltwork.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.server.RespConnection;
import io.boltwork.testkit.wait.Task;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtensionContext;

class LeavesNothingBehindTest {
    private static final ExtensionContext NO_CONTEXT = null;

    private static RedisServer redis;

    private final LeavesNothingBehind nothing = new LeavesNothingBehind(() -> redis, Duration.ofMillis(300));

    @BeforeAll
    static void startServer() {
        redis = RedisServer.start();
    }

    @AfterAll
    static void stopServer() {
        redis.close();
    }

    @BeforeEach
    void begin() {
        nothing.beforeEach(NO_CONTEXT);
    }

    private void end() {
        nothing.afterEach(NO_CONTEXT);
    }

    private void isFound(String what) {
        AssertionError failure = catchThrowableOfType(AssertionError.class, this::end);
        assertThat(failure).isNotNull();
        assertThat(Arrays.stream(failure.getSuppressed()).map(Throwable::getMessage))
                .singleElement()
                .asString()
                .contains(what);
    }

    @Test
    void resourcesAreClosedInReverseOrder() {
        List<String> closed = new ArrayList<>();
        nothing.closing(() -> closed.add("first"));
        nothing.closing(() -> closed.add("last"));
        redis.command("HSET", "boltwork:{free}", "owner", "", "fence", "1");
        redis.command("HSET", "boltwork:{ended}", "owner", "a:1", "until", "1");
        redis.command("SET", "boltwork:fence:{guarded}", "1");
        end();
        assertThat(closed).containsExactly("last", "first");
        assertThat(redis.command("DBSIZE")).isEqualTo(0L);
    }

    @Test
    void aHeldLockIsFound() {
        redis.command("HSET", "boltwork:{held}", "owner", "a:1", "until", "9999999999999");
        isFound("boltwork:{held}");
    }

    @Test
    void aWantedLockIsFound() {
        redis.command("HSET", "boltwork:{wanted}", "owner", "", "ra:1", "1");
        isFound("boltwork:{wanted}");
    }

    @Test
    void aConnectionIsFound() throws Exception {
        try (RespConnection resp = new RespConnection(redis.host(), redis.port(), Duration.ofSeconds(5))) {
            resp.call("PING");
            isFound("cmd=ping");
        }
    }

    @Test
    void aThreadIsFound() {
        CountDownLatch letGo = new CountDownLatch(1);
        Task<Boolean> left = Task.start("left-over", () -> {
            letGo.await();
            return true;
        });
        isFound("left-over");
        letGo.countDown();
        left.awaitEnd();
    }

    @Test
    void aProcessIsFound() throws Exception {
        Process process = new ProcessBuilder("sleep", "60").start();
        isFound("sleep 60");
        process.destroyForcibly().waitFor();
    }
}
