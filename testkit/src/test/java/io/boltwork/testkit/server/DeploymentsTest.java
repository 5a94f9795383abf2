// SPDX-License-Identifier: Apache-2.0
package io.boltwork.testkit.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.boltwork.testkit.wait.Await;
import java.nio.file.Files;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Groups of servers. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class DeploymentsTest {

    @Test
    void aReplicaHasWhatItsMasterHas() {
        try (ReplicaGroup group = ReplicaGroup.start(1)) {
            RedisServer master = group.servers().get(0);
            RedisServer replica = group.servers().get(1);
            master.command("SET", "k", "v");
            Await.until("it is replicated", () -> "v".equals(replica.command("GET", "k")));
            assertThat(ReplicaGroup.field(replica, "role")).isEqualTo("slave");
            group.promote(replica);
            assertThat(ReplicaGroup.field(replica, "role")).isEqualTo("master");
        }
    }

    @Test
    void sentinelsKnowTheMasterAndPromoteAReplicaOnRequest() {
        try (SentinelGroup group = SentinelGroup.start()) {
            RedisServer master = group.data().servers().get(0);
            assertThat(group.sentinels()).allMatch(sentinel -> group.master(sentinel) == master);

            RedisServer next = group.failover();
            assertThat(next).isNotEqualTo(master);
            assertThat(ReplicaGroup.field(next, "role")).isEqualTo("master");
        }
    }

    @Test
    void anAbandonedPromotionIsRequestedAgain() {
        try (SentinelGroup group = SentinelGroup.start()) {
            RedisServer master = group.data().servers().get(0);
            List<RedisServer> replicas = group.data().servers().subList(1, 3);
            RedisServer sentinel = group.sentinels().get(0);
            Await.until("any replica can be promoted", () -> group.isPromotable(sentinel));

            replicas.forEach(RedisServer::freeze);
            CompletableFuture<RedisServer> next = CompletableFuture.supplyAsync(group::failover);
            Await.until("the sentinel promotes one that is frozen", () -> group.isPromoting(sentinel));
            Await.until("it gives up", () -> !group.isPromoting(sentinel));
            replicas.forEach(RedisServer::thaw);
            assertThat(next.join()).isNotEqualTo(master);
        }
    }

    @Test
    void aServerUsesTlsWithTheGeneratedCertificates() throws Exception {
        assumeTrue(RedisServer.knowsTls(), "skipped: this redis-server was built without TLS");
        try (Certificates certificates = Certificates.make();
                RedisServer redis = RedisServer.startTls(certificates, true)) {
            CertificateFactory factory = CertificateFactory.getInstance("X.509");
            try (var in = Files.newInputStream(certificates.server());
                    var authority = Files.newInputStream(certificates.authority())) {
                factory.generateCertificate(in)
                        .verify(factory.generateCertificate(authority).getPublicKey());
            }
            assertThat(redis.tlsUri()).startsWith("rediss://127.0.0.1:").isNotEqualTo(redis.uri());
            try (var in = Files.newInputStream(certificates.server())) {
                X509Certificate server = (X509Certificate) factory.generateCertificate(in);
                assertThat(server.getSubjectAlternativeNames()).hasSize(2);
            }
        }
    }
}
