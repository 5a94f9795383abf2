// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.testkit.server.ClusterGroup;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.server.ReplicaGroup;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Connects to each kind of deployment that one URI can list. */
class UriFormsTest {

    @Test
    void aUriListsTheNodesOfACluster() {
        try (ClusterGroup group = ClusterGroup.start(3, 0, ClusterGroup.PATIENCE);
                LockClient locks = LockClient.create(RedisBackend.connect(listing("redis-cluster", group.uris())))) {
            IntStream.range(0, 20).forEach(i -> use(locks, "lock-" + i));
            assertThat(locks.health().nodes()).hasSize(3);
        }
    }

    @Test
    void aUriListsAMasterAndItsReplicas() {
        try (ReplicaGroup group = ReplicaGroup.start(1)) {
            List<String> replicaFirst =
                    List.of(group.uris().get(1), group.uris().get(0));
            String uri = listing("redis-replicated", replicaFirst);
            try (LockClient locks = LockClient.create(RedisBackend.connect(uri))) {
                use(locks, "a");
                assertThat(locks.health().nodes()).hasSize(2);
            }
        }
    }

    @Test
    void aUriListsTheServersOfAQuorum() {
        try (RedisServer one = RedisServer.start();
                RedisServer two = RedisServer.start();
                RedisServer three = RedisServer.start()) {
            List<RedisServer> servers = List.of(one, two, three);
            servers.forEach(WatchedRun::note);
            List<String> uris = servers.stream().map(RedisServer::uri).toList();
            try (LockClient locks = LockClient.create(RedisBackend.connect(listing("redis-quorum", uris)))) {
                use(locks, "a");
                assertThat(locks.health().nodes()).hasSize(3);
            }
            assertThat(servers)
                    .allSatisfy(server ->
                            assertThat(server.command("EXISTS", "boltwork:{a}")).hasToString("1"));
        }
    }

    private static void use(LockClient locks, String name) {
        try (Lease lease = locks.lock(name).acquire()) {
            assertThat(lease.isValid()).isTrue();
        }
    }

    private static String listing(String scheme, List<String> uris) {
        return uris.stream()
                .map(uri -> uri.replace("redis://", ""))
                .collect(Collectors.joining(",", scheme + "://", ""));
    }
}
