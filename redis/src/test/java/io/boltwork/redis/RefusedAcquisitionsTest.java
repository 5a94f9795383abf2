// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.boltwork.BackendException;
import io.boltwork.ClientHealth;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.quorum.QuorumOptions;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.server.ReplicaGroup;
import io.boltwork.testkit.wait.Await;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** Tests the health of a client, which must show the refusals while the server answers and refuses. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class RefusedAcquisitionsTest {

    @TempDir
    Path directory;

    private static void isRefused(LockClient client, String why) {
        assertThatExceptionOfType(BackendException.class)
                .isThrownBy(() -> client.lock("refused").tryAcquire())
                .withMessageContaining(why);
        ClientHealth health = client.health();
        assertThat(health.usable()).isFalse();
        assertThat(health.connected()).isTrue();
        assertThat(health.nodes().get(0)).satisfies(node -> {
            assertThat(node.reachable()).isTrue();
            assertThat(node.refuses()).isTrue();
            assertThat(node.problem()).startsWith("it refuses to grant locks: ").contains(why);
        });
    }

    private static void isGranted(LockClient client) {
        assertThat(client.health().nodes().get(0).problem()).isEmpty();
        client.lock("granted").tryAcquire().orElseThrow().release();
        assertThat(client.health().usable()).isTrue();
    }

    @Test
    void healthTellsOfAFullMemoryAndOfItsEnd() {
        try (RedisServer redis = RedisServer.start("--maxmemory-policy", "noeviction");
                LockClient client = LockClient.create(RedisBackend.connect(redis.uri()))) {
            isGranted(client);
            Lease held = client.lock("held").acquire();
            redis.command("CONFIG", "SET", "maxmemory", "1");
            isRefused(client, "its memory is full");
            assertThat(held.isValid()).isTrue();
            redis.command("CONFIG", "SET", "maxmemory", "0");
            isGranted(client);
            held.release();
        }
    }

    @Test
    void healthTellsOfADiskThatCannotBeWritten() throws Exception {
        Path data = Files.createDirectory(directory.resolve("data"));
        try (RedisServer redis = RedisServer.start("--dir", data.toString(), "--save", "3600 1000000");
                LockClient client = LockClient.create(RedisBackend.connect(redis.uri()))) {
            isGranted(client);
            delete(data);
            redis.command("BGSAVE");
            Await.until("the snapshot has failed", () -> info(redis).contains("rdb_last_bgsave_status:err"));
            isRefused(client, "it cannot write its data to disk");
            redis.command("CONFIG", "SET", "stop-writes-on-bgsave-error", "no");
            isGranted(client);
        }
    }

    private static String info(RedisServer redis) {
        Object answer = redis.command("INFO", "persistence");
        return answer instanceof byte[] bytes
                ? new String(bytes, java.nio.charset.StandardCharsets.UTF_8)
                : "" + answer;
    }

    private static void delete(Path directory) throws Exception {
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
        Files.delete(directory);
    }

    @Test
    void healthTellsOfMissingReplicas() {
        try (RedisServer redis = RedisServer.start();
                LockClient client = LockClient.create(RedisBackend.connect(redis.uri()))) {
            redis.command("CONFIG", "SET", "min-replicas-to-write", "1");
            isRefused(client, "it has too few replicas");
            redis.command("CONFIG", "SET", "min-replicas-to-write", "0");
            isGranted(client);
        }
    }

    @Test
    void healthTellsOfRightsThatWereRevoked() {
        try (RedisServer redis = RedisServer.start()) {
            redis.command(
                    "ACL SETUSER locking on >secret resetchannels ~boltwork:* &boltwork:grants:* &boltwork:told:* +@all"
                            .split(" "));
            String uri = redis.uri().replace("redis://", "redis://locking:secret@");
            try (LockClient client = LockClient.create(RedisBackend.connect(uri))) {
                isGranted(client);
                redis.command("ACL", "SETUSER", "locking", "-hset", "-pexpire");
                isRefused(client, "the user lacks a right");
                assertThat(client.health().nodes().get(0).problem()).endsWith("+hset +pexpire");
                redis.command("ACL", "SETUSER", "locking", "+@all", "resetkeys", "~other:*");
                isRefused(client, "the user lacks a right: ~");
                assertThat(client.health().nodes().get(0).problem()).contains("~boltwork:*");
                redis.command("ACL", "SETUSER", "locking", "~boltwork:*");
                isGranted(client);
            }
        }
    }

    /** Redis 6.2, and a user without the right to EVAL, get no answer from the check. */
    @Test
    void refusedCallsTellWhatTheCheckDoesNotSee() {
        try (RedisServer redis = RedisServer.startEmbedded();
                LockClient client = LockClient.create(RedisBackend.connect(redis.uri()))) {
            isGranted(client);
            redis.command("CONFIG", "SET", "maxmemory", "1");
            Await.until("calls have been refused for some seconds", () -> {
                assertThatExceptionOfType(BackendException.class)
                        .isThrownBy(() -> client.lock("refused").tryAcquire());
                return !client.health().usable();
            });
            ClientHealth health = client.health();
            assertThat(health.nodes().get(0).refuses()).isFalse();
            assertThat(health.warnings())
                    .anyMatch(text -> text.startsWith("Locks cannot be acquired: ") && text.contains("memory is full"));
            redis.command("CONFIG", "SET", "maxmemory", "0");
            isGranted(client);
            assertThat(client.health().warnings()).noneMatch(text -> text.startsWith("Locks cannot"));
        }
    }

    @Test
    void oneBadKeyAmongGoodOnesIsNotEveryAcquisition() {
        try (RedisServer redis = RedisServer.start();
                LockClient client = LockClient.create(RedisBackend.connect(redis.uri()))) {
            redis.command("SET", "boltwork:{refused}", "another's");
            assertThatExceptionOfType(BackendException.class)
                    .isThrownBy(() -> client.lock("refused").tryAcquire());
            assertThat(client.health().usable()).isTrue();
            assertThat(client.health().warnings()).anyMatch(text -> text.contains("choose another key prefix"));
            isGranted(client);
            assertThat(client.health().warnings()).noneMatch(text -> text.contains("choose another key prefix"));
        }
    }

    @Test
    void aMasterThatWasDemotedIsAnOutage() {
        try (ReplicaGroup group = ReplicaGroup.start(1);
                LockClient client = LockClient.create(
                        RedisBackend.connect(group.servers().get(0).uri()))) {
            RedisServer first = group.servers().get(0);
            RedisServer second = group.servers().get(1);
            isGranted(client);
            second.command("REPLICAOF", "NO", "ONE");
            first.command("REPLICAOF", second.host(), "" + second.port());
            Await.until("health tells it", () -> {
                client.lock("refused").tryAcquireAsync(java.time.Duration.ZERO);
                return !client.health().usable();
            });
        }
    }

    @Test
    void aQuorumIsUsableAsLongAsAMajorityGrants() {
        try (QuorumServers servers = QuorumServers.voting(3);
                LockClient client = servers.client(QuorumOptions.defaults())) {
            RedisServer a = servers.get(0);
            RedisServer b = servers.get(1);
            Await.until(
                    "all vote",
                    () -> client.health().nodes().stream()
                            .allMatch(node -> node.problem().isEmpty()));
            a.command("CONFIG", "SET", "maxmemory", "1");
            ClientHealth one = client.health();
            assertThat(one.nodes().get(0).problem()).contains("its memory is full");
            assertThat(one.usable()).isTrue();
            b.command("CONFIG", "SET", "maxmemory", "1");
            assertThat(client.health().usable()).isFalse();
            a.kill();
            b.command("CONFIG", "SET", "maxmemory", "0");
            Await.until("two of three grant", () -> client.health().usable());
        }
    }
}
