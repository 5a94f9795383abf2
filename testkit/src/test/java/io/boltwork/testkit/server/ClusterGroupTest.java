// SPDX-License-Identifier: Apache-2.0
package io.boltwork.testkit.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.boltwork.testkit.wait.Await;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** A cluster works, and the operations on it take effect. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class ClusterGroupTest {
    private static final ClusterGroup CLUSTER = ClusterGroup.start();

    /* "foo" is in the last third, "bar" in the first */
    private static final int FOO = 12_182;
    private static final int BAR = 5_061;

    @AfterAll
    static void close() {
        CLUSTER.close();
    }

    private static void serves(ClusterGroup cluster) {
        assertThat(cluster.masters()).isEqualTo(cluster.nodes().subList(0, 3));
        assertThat(cluster.masters()).allSatisfy(master -> {
            assertThat(cluster.replicasOf(master)).hasSize(1);
            assertThat(String.valueOf(master.command("CLUSTER", "INFO")))
                    .contains("cluster_state:ok", "cluster_slots_assigned:16384", "cluster_known_nodes:6");
        });
        RedisServer master = cluster.masterOf(FOO);
        assertThat(master.command("CLUSTER", "KEYSLOT", "foo")).isEqualTo((long) FOO);
        assertThat(master).isEqualTo(cluster.nodes().get(2));
        assertThat(master.command("SET", "foo", "1")).isEqualTo("OK");
        assertThatThrownBy(() -> cluster.masterOf(BAR).command("GET", "foo"))
                .hasMessage("MOVED " + FOO + " 127.0.0.1:" + master.port());
        master.command("DEL", "foo");
    }

    @Test
    void aClusterServes() {
        serves(CLUSTER);
        assertThat(CLUSTER.uris()).hasSize(6).contains(CLUSTER.masterOf(BAR).uri());
    }

    @Test
    void anOldClusterServesToo() {
        try (ClusterGroup old = ClusterGroup.startEmbedded()) {
            assertThat(old.nodes()).allMatch(node -> node.version().startsWith("6.2."));
            serves(old);
            moves(old);
        }
    }

    @Test
    void aReplicaReplacesAKilledMasterUntilItComesBack() {
        try (ClusterGroup cluster = ClusterGroup.start(3, 1, Duration.ofMillis(500))) {
            RedisServer master = cluster.masterOf(FOO);
            RedisServer replica = cluster.replicasOf(master).get(0);
            master.command("SET", "foo", "1");
            Await.until("it is replicated", () -> Objects.equals(replica.command("DBSIZE"), 1L));
            cluster.kill(master);
            assertThat(cluster.awaitFailover(FOO, master)).isEqualTo(replica);
            assertThat(replica.command("GET", "foo")).isEqualTo("1");

            cluster.restart(master);
            Await.until("it follows", () -> cluster.replicasOf(replica).equals(List.of(master)));
            cluster.awaitOk();
            cluster.failover(master);
            assertThat(cluster.masterOf(FOO)).isEqualTo(master);
            assertThat(master.command("GET", "foo")).isEqualTo("1");
        }
    }

    @Test
    void aFrozenMasterIsReplacedAndFollowsWhenThawed() {
        try (ClusterGroup cluster = ClusterGroup.start(3, 1, Duration.ofMillis(500))) {
            RedisServer master = cluster.masterOf(BAR);
            cluster.freeze(master);
            RedisServer next = cluster.awaitFailover(BAR, master);
            assertThat(cluster.masters()).hasSize(3).contains(next).doesNotContain(master);
            cluster.thaw(master);
            assertThat(cluster.masterOf(BAR)).isEqualTo(next); // regardless of the view of the old master
            Await.until("it follows", () -> cluster.replicasOf(next).equals(List.of(master)));
        }
    }

    @Test
    void aSlotMovesInSteps() {
        moves(CLUSTER);
    }

    private static void moves(ClusterGroup cluster) {
        RedisServer from = cluster.masterOf(FOO);
        RedisServer to = cluster.masterOf(BAR);
        from.command("SET", "foo", "1");
        cluster.beginMove(FOO, from, to);
        assertThat(from.command("GET", "foo")).isEqualTo("1");
        assertThatThrownBy(() -> from.command("GET", "new{foo}"))
                .isInstanceOf(RedisErrorException.class)
                .hasMessage("ASK " + FOO + " 127.0.0.1:" + to.port());

        cluster.moveKeys(FOO, from, to);
        assertThatThrownBy(() -> from.command("GET", "foo")).hasMessageStartingWith("ASK " + FOO);
        assertThatThrownBy(() -> to.command("GET", "foo")).hasMessage("MOVED " + FOO + " 127.0.0.1:" + from.port());
        assertThat(cluster.masterOf(FOO)).isEqualTo(from);

        cluster.endMove(FOO, to);
        assertThatThrownBy(() -> from.command("GET", "foo")).hasMessage("MOVED " + FOO + " 127.0.0.1:" + to.port());
        assertThat(to.command("GET", "foo")).isEqualTo("1");
        assertThat(cluster.masterOf(FOO)).isEqualTo(to);

        cluster.moveSlot(FOO, to, from);
        assertThat(from.command("GETDEL", "foo")).isEqualTo("1");
        assertThat(cluster.masterOf(FOO)).isEqualTo(from);
    }

    @Test
    void manySlotsMoveWithTheirKeys() {
        RedisServer from = CLUSTER.masterOf(BAR);
        RedisServer to = CLUSTER.masterOf(FOO);
        from.command("SET", "bar", "1");
        CLUSTER.reshard(IntStream.rangeClosed(BAR - 50, BAR), from, to);
        assertThat(IntStream.rangeClosed(BAR - 50, BAR).mapToObj(CLUSTER::masterOf))
                .containsOnly(to);
        assertThat(CLUSTER.masterOf(BAR - 51)).isEqualTo(from);
        assertThat(to.command("GET", "bar")).isEqualTo("1");
        CLUSTER.reshard(IntStream.rangeClosed(BAR - 50, BAR), to, from);
        assertThat(from.command("GETDEL", "bar")).isEqualTo("1");
    }

    @Test
    void aSlotCanBeWithoutAMaster() {
        RedisServer master = CLUSTER.masterOf(7);
        CLUSTER.uncover(7);
        assertThatThrownBy(() -> CLUSTER.masterOf(7)).isInstanceOf(AssertionError.class);
        assertThat(CLUSTER.masters())
                .allSatisfy(node ->
                        assertThatThrownBy(() -> node.command("GET", "foo")).hasMessageStartingWith("CLUSTERDOWN"));
        CLUSTER.cover(7, master);
        assertThat(CLUSTER.masterOf(7)).isEqualTo(master);
    }

    @Test
    void aNodeCanBeAnnouncedElsewhere() {
        try (ClusterGroup cluster = ClusterGroup.start(3, 0, ClusterGroup.PATIENCE)) {
            RedisServer node = cluster.masterOf(FOO);
            cluster.announce(node, node.host(), 7);
            assertThatThrownBy(() -> cluster.masterOf(BAR).command("GET", "foo"))
                    .hasMessage("MOVED " + FOO + " 127.0.0.1:7");
            assumeFalse(node.version().startsWith("6."), "skipped from here: this redis-server announces no hosts");
            cluster.announce(node, "redis.invalid", 8);
            assertThatThrownBy(() -> cluster.masterOf(BAR).command("GET", "foo"))
                    .hasMessage("MOVED " + FOO + " redis.invalid:8");
            cluster.awaitOk();
        }
    }

    @Test
    void aClusterThatDoesNotStartLeavesNothing() {
        assertThatThrownBy(() -> ClusterGroup.start(1, 0, ClusterGroup.PATIENCE, "--no-such-option", "1"))
                .isInstanceOf(UncheckedIOException.class);
    }
}
