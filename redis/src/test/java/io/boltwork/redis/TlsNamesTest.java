// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static io.boltwork.redis.WrongDeploymentTest.refused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.boltwork.BackendException;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.testkit.server.Certificates;
import io.boltwork.testkit.server.ClusterGroup;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.server.SentinelGroup;
import io.boltwork.testkit.wait.Await;
import io.lettuce.core.internal.HostAndPort;
import io.lettuce.core.resource.ClientResources;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Tests clusters and sentinels whose certificates are for names and not for addresses. */
@EnabledIfSystemProperty(named = "boltwork.proof", matches = "true", disabledReason = "slow: -Dboltwork.proof=true")
class TlsNamesTest {
    private static Certificates certificates;
    private static RedisOptions options;

    @BeforeAll
    static void start() {
        assumeTrue(RedisServer.knowsTls(), "skipped: this redis-server was built without TLS");
        certificates = Certificates.make();
        options = RedisOptions.defaults().withTrustedCertificates(certificates.authority());
    }

    @AfterAll
    static void stop() {
        if (certificates != null) {
            certificates.close();
        }
    }

    @Test
    void clusterNodesMustAnnounceTheNames() {
        try (ClusterGroup cluster = ClusterGroup.startNamed(certificates, 3)) {
            List<String> uris = cluster.nodes().stream()
                    .map(node -> "rediss://localhost:" + node.tlsPort())
                    .toList();
            BackendException refused = refused(() -> RedisBackend.connectCluster(uris, options));
            assertThat(refused).hasMessageContaining("its certificate is not for that name");
            List<String> lenient =
                    uris.stream().map(uri -> uri + "?verifyPeer=ca").toList();
            RedisBackend.connectCluster(lenient, options).close();
            cluster.announceNames();
            String listed = "rediss-cluster://" + String.join(",", uris).replace("rediss://", "");
            try (LockClient one = LockClient.create(RedisBackend.connectCluster(uris, options));
                    LockClient other = LockClient.create(RedisBackend.connect(listed, options))) {
                for (String name : List.of("a", "b", "c", "d", "e", "f")) { // locks of all masters
                    passesOn(one, other, name);
                }
                assertThat(one.health().nodes())
                        .allSatisfy(node -> assertThat(node.address()).startsWith("localhost:"));
            }
        }
    }

    @Test
    void callersVerifyTheNamesThatAddressesAreMappedTo() {
        ClientResources mapping =
                ClusterDirectConnectionsTest.mapping(announced -> HostAndPort.of("localhost", announced.getPort()));
        try (ClusterGroup cluster = ClusterGroup.startNamed(certificates, 3)) {
            List<String> uris = cluster.nodes().stream()
                    .map(node -> "rediss://127.0.0.1:" + node.tlsPort())
                    .toList();
            try (LockClient client =
                    LockClient.create(RedisBackend.connectCluster(uris, options.withClientResources(mapping)))) {
                ClusterDirectConnectionsTest.warm(client);
                assertThat(cluster.masters()).anyMatch(master -> ClusterDirectConnectionsTest.direct(master) == 1);
            }
        } finally {
            mapping.shutdown(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
        }
    }

    @Test
    void sentinelsAndServersMustAnnounceTheNames() {
        try (SentinelGroup group = SentinelGroup.startNamed(certificates)) {
            assertThat(refused(() -> RedisBackend.connect(group.tlsUri().replace("localhost", "127.0.0.1"), options)))
                    .hasMessageContaining("its certificate is not for that name");
            try (LockClient one = LockClient.create(RedisBackend.connect(group.tlsUri(), options));
                    LockClient other = LockClient.create(RedisBackend.connect(group.tlsUri(), options))) {
                passesOn(one, other, "a");
                String before = one.health().nodes().get(0).address();
                assertThat(before).startsWith("localhost:");
                String now = "localhost:" + group.failover().tlsPort();
                assertThat(now).isNotEqualTo(before);
                Await.until(
                        "the client has followed",
                        () -> one.health().nodes().get(0).address().equals(now));
                passesOn(one, other, "b");
            }
        }
    }

    private static void passesOn(LockClient one, LockClient other, String name) {
        Lease lease = one.lock(name).acquire();
        CompletableFuture<Lease> next = other.lock(name).acquireAsync().toCompletableFuture();
        lease.release();
        next.orTimeout(60, TimeUnit.SECONDS).join().release();
    }
}
