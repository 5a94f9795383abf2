// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.boltwork.BackendException;
import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.LockOptions;
import io.boltwork.Replication;
import io.boltwork.testkit.fault.Faults;
import io.boltwork.testkit.server.RedisErrorException;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Slack;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests {@link Replication#onDisk}. */
class DiskTest {

    private static final LockOptions ON_DISK =
            LockOptions.defaults().withReplication(Replication.onDisk(Duration.ofMillis(1_900)));

    @AfterEach
    void useTheUsualServerAgain() {
        System.clearProperty("boltwork.redis");
    }

    private static RedisServer start(String server, String... arguments) {
        Path binary = Path.of("..", ".servers", server).toAbsolutePath().normalize();
        assumeTrue(Files.isExecutable(binary), "SKIPPED: there is no .servers/" + server + "; .ci/servers fetches it");
        System.setProperty("boltwork.redis", binary.toString());
        return RedisServer.start(arguments);
    }

    @ParameterizedTest
    @ValueSource(strings = {"valkey-8/valkey-server", "redis-8/redis-server"})
    void aHoldIsOnDiskWhenItBegins(String server) {
        try (RedisServer redis = start(server, "--appendonly", "yes");
                LockClient client = LockClient.create(RedisBackend.connect(redis.uri()))) {
            FencedLock lock = client.lock("l", ON_DISK);
            CommandStats.reset(redis);
            try (Lease lease = lock.acquire()) {
                assertThat(CommandStats.of(redis).of("waitaof")).isEqualTo(1);
                Faults.restartWithData(redis).inject();
                Await.until("the server has read its file", () -> isLoaded(redis));
                assertThat(redis.command("HGET", "boltwork:{l}", "token"))
                        .isEqualTo(Long.toString(lease.fencingToken()));
            }
        }
    }

    private static boolean isLoaded(RedisServer redis) {
        try {
            return redis.command("PING").equals("PONG");
        } catch (RedisErrorException loading) {
            return false;
        }
    }

    @Test
    void aSlowDiskIsNamedAndTheLockIsGivenBack() throws Exception {
        try (RedisServer redis = start("valkey-8/valkey-server", "--appendonly", "yes", "--appendfsync", "no");
                LockClient client = LockClient.create(RedisBackend.connect(redis.uri()))) {
            FencedLock lock = client.lock(
                    "l", LockOptions.defaults().withReplication(Replication.onDisk(Duration.ofMillis(200))));
            assertThatExceptionOfType(BackendException.class)
                    .isThrownBy(lock::lock)
                    .withMessageContainingAll("disk has not confirmed", "200 ms", "does not hold the lock 'l'")
                    .matches(BackendException::isRetryable);
            assertThat(client.lock("l").tryLock(1, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void aServerWithoutAppendOnlyFileRefusesAtOnce() throws Exception {
        try (RedisServer redis = start("valkey-8/valkey-server")) {
            refusesAtOnce(redis);
        }
    }

    @Test
    void aServerThatCannotWaitForItsDiskRefusesAtOnce() throws Exception {
        try (RedisServer redis = RedisServer.startEmbedded("--appendonly", "yes")) {
            refusesAtOnce(redis);
        }
    }

    private static void refusesAtOnce(RedisServer redis) throws Exception {
        try (LockClient client = LockClient.create(RedisBackend.connect(redis.uri()))) {
            FencedLock lock = client.lock("l", ON_DISK);
            long start = System.nanoTime();
            assertThatExceptionOfType(BackendException.class)
                    .isThrownBy(lock::lock)
                    .withMessageContaining("Replication.onDisk needs Redis 7.2 or later")
                    .matches(failure -> !failure.isRetryable());
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Slack.seconds(1));
            assertThat(client.lock("l").tryLock(1, TimeUnit.SECONDS)).isTrue();
        }
    }
}
