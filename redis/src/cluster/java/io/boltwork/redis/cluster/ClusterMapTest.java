// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.boltwork.redis.address.NodeAddress;
import io.boltwork.redis.cluster.Redirection.Kind;
import io.boltwork.redis.wire.Slots;
import io.boltwork.testkit.server.ClusterGroup;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Await;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.protocol.ProtocolVersion;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests that the map read from a real cluster is right. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
public class ClusterMapTest {
    private static final ClusterGroup CLUSTER = ClusterGroup.start();
    private static final int FOO = 12_182;

    @AfterAll
    static void close() {
        CLUSTER.close();
    }

    private static NodeAddress address(RedisServer node) {
        return new NodeAddress(node.host(), node.port());
    }

    private static SlotMap read(RedisServer node) {
        return read(node, ProtocolVersion.RESP3);
    }

    private static SlotMap read(RedisServer node, ProtocolVersion protocol) {
        try (RedisClient client = RedisClient.create(node.uri())) {
            client.setOptions(ClientOptions.builder().protocolVersion(protocol).build());
            try (StatefulRedisConnection<byte[], byte[]> connection = client.connect(ByteArrayCodec.INSTANCE)) {
                return SlotMap.parse(connection.sync().clusterSlots(), address(node), 1);
            }
        }
    }

    @Test
    void keysAndTagsAreInTheSlotsThatTheServerReports() throws Exception {
        Random random = new Random(1);
        List<byte[]> keys = new ArrayList<>();
        IntStream.range(0, Slots.COUNT)
                .forEach(slot -> keys.add(("x{" + Slots.tag(slot) + "}").getBytes(StandardCharsets.UTF_8)));
        for (int i = 0; i < 10_000; i++) {
            byte[] key = new byte[random.nextInt(40)];
            random.nextBytes(key);
            for (int j = 0; j < key.length; j++) { // many braces
                key[j] = random.nextInt(5) == 0 ? (byte) "{}".charAt(random.nextInt(2)) : key[j];
            }
            keys.add(key);
        }
        try (RedisClient client = RedisClient.create(CLUSTER.uris().get(0));
                StatefulRedisConnection<byte[], byte[]> connection = client.connect(ByteArrayCodec.INSTANCE)) {
            List<Future<Long>> replies = new ArrayList<>();
            keys.forEach(key -> replies.add(connection.async().clusterKeyslot(key)));
            for (int i = 0; i < keys.size(); i++) {
                long slot = replies.get(i).get(10, TimeUnit.SECONDS);
                assertThat((long) Slots.of(keys.get(i))).isEqualTo(slot);
                assertThat(i >= Slots.COUNT || slot == i).isTrue();
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void everyNodeReportsTheSameMap(ProtocolVersion protocol) {
        for (RedisServer node : CLUSTER.nodes()) {
            SlotMap map = read(node, protocol);
            assertThat(map.isCovered()).isTrue();
            assertThat(map.masters())
                    .containsExactlyElementsOf(CLUSTER.masters().stream()
                            .map(ClusterMapTest::address)
                            .toList());
            assertThat(map.master(FOO)).isEqualTo(address(CLUSTER.masterOf(FOO)));
        }
    }

    @Test
    void redis62ReportsTheMapInTheSameFormat() {
        try (ClusterGroup old = ClusterGroup.startEmbedded(3, 0, ClusterGroup.PATIENCE)) {
            SlotMap map = read(old.nodes().get(1));
            assertThat(map.isCovered()).isTrue();
            assertThat(map.masters())
                    .containsExactlyElementsOf(
                            old.nodes().stream().map(ClusterMapTest::address).toList());
        }
    }

    @Test
    void aMigratingSlotRedirects() {
        RedisServer from = CLUSTER.masterOf(FOO);
        RedisServer to = CLUSTER.nodes().get(0);
        CLUSTER.beginMove(FOO, from, to);
        assertThat(refusal(from, "GET", "foo")).isEqualTo(new Redirection(Kind.ASK, FOO, address(to)));
        assertThat(refusal(to, "GET", "foo")).isEqualTo(new Redirection(Kind.MOVED, FOO, address(from)));
        CLUSTER.endMove(FOO, to);
        SlotMap map = read(CLUSTER.nodes().get(1));
        assertThat(map.master(FOO)).isEqualTo(address(to));
        assertThat(map.master(FOO + 1)).isEqualTo(address(from));
        assertThat(map.with(FOO, address(from)).masters()).hasSize(3);
        assertThat(refusal(from, "GET", "foo")).isEqualTo(new Redirection(Kind.MOVED, FOO, address(to)));
        assertThat(refusal(from, "MGET", "foo", "bar")).isEqualTo(new Redirection(Kind.CROSSSLOT, -1, null));
        CLUSTER.moveSlot(FOO, to, from);
    }

    @Test
    void anUnassignedSlotIsReported() {
        RedisServer master = CLUSTER.masterOf(FOO);
        CLUSTER.uncover(FOO);
        assertThat(read(master).uncovered()).isEqualTo("12182");
        assertThat(refusal(master, "GET", "foo")).isEqualTo(new Redirection(Kind.CLUSTERDOWN, -1, null));
        CLUSTER.cover(FOO, master);
        Await.until("it is covered", () -> read(master).isCovered());
    }

    @Test
    void aNodeThatReportsNoHostIsAtTheAddressThatWasAsked() {
        try (ClusterGroup cluster = ClusterGroup.start(3, 0, ClusterGroup.PATIENCE)) {
            RedisServer node = cluster.nodes().get(0);
            RedisServer other = cluster.nodes().get(2);
            assumeFalse(node.version().startsWith("6."), "skipped: this redis-server always reports hosts");
            for (String type : List.of("unknown-endpoint", "hostname")) {
                node.command("CONFIG", "SET", "cluster-preferred-endpoint-type", type);
                assertThat(read(node).master(FOO)).isEqualTo(address(other));
                assertThat(refusal(node, "GET", "foo")).isEqualTo(new Redirection(Kind.MOVED, FOO, address(other)));
            }
            cluster.announce(other, "redis.invalid", 7);
            assertThat(read(node).master(FOO)).hasToString("redis.invalid:7");
            assertThat(refusal(node, "GET", "foo"))
                    .hasToString("Redirection[kind=MOVED, slot=12182, to=redis.invalid:7]");
        }
    }

    private static Redirection refusal(RedisServer node, String... command) {
        Throwable error = catchThrowable(() -> node.command(command));
        return Objects.requireNonNull(Redirection.parse(String.valueOf(error.getMessage()), address(node)));
    }
}
