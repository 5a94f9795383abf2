// SPDX-License-Identifier: Apache-2.0
package io.boltwork.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.boltwork.BackendException;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.testkit.server.Certificates;
import io.boltwork.testkit.server.EtcdCluster;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Task;
import java.io.IOException;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** Users, passwords and certificates. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class EtcdAccessTest {
    private static final String PASSWORD = "correct-horse";

    @TempDir
    Path directory;

    @BeforeEach
    void check() {
        assumeTrue(EtcdCluster.isInstalled(), "skipped: no etcd on the PATH");
    }

    private static void handOver(LockClient from, LockClient to) {
        Lease lease = from.lock("access").acquire();
        Task<Boolean> waiter = Task.start("waiter", () -> {
            try (Lease next = to.lock("access").acquire()) {
                return next.verify();
            }
        });
        Await.until(
                "it waits", () -> !from.inspector().describe("access").queue().isEmpty());
        assertThat(lease.verify()).isTrue();
        lease.release();
        assertThat(waiter.get()).isTrue();
    }

    private static EtcdCluster withUsers(String... extraArgs) {
        EtcdCluster cluster = EtcdCluster.start(1, extraArgs);
        user(cluster, "root", "root", PASSWORD);
        user(cluster, "shop", "locks", PASSWORD);
        user(cluster, "stranger", "nothing", PASSWORD);
        post(
                cluster,
                "auth/role/grant",
                Map.of(
                        "name",
                        "locks",
                        "perm",
                        Map.of(
                                "permType", "READWRITE",
                                "key", EtcdKeys.bytes("/boltwork/"),
                                "range_end", EtcdKeys.bytes("/boltwork0"))));
        post(cluster, "auth/enable", Map.of());
        return cluster;
    }

    private static void user(EtcdCluster cluster, String name, String role, String password) {
        post(cluster, "auth/user/add", Map.of("name", name, "password", password));
        post(cluster, "auth/role/add", Map.of("name", role));
        post(cluster, "auth/user/grant", Map.of("user", name, "role", role));
    }

    private static void post(EtcdCluster cluster, String path, Map<String, ?> request) {
        assertThat(cluster.post("/v3/" + path, Json.text(request))).doesNotContain("error");
    }

    @Test
    void userWithTheRightsSharesLocksAndNewTokensAreAskedFor() {
        try (EtcdCluster cluster = withUsers("--auth-token-ttl", "2")) {
            EtcdOptions options = EtcdSite.options().withCredentials("shop", PASSWORD);
            try (LockClient one = LockClient.create(EtcdBackend.connect(cluster.endpoints(), options));
                    LockClient two = LockClient.create(EtcdBackend.connect(cluster.endpoints(), options))) {
                handOver(one, two);
                cluster.kill(0); // simple tokens are forgotten
                cluster.restart(0);
                Await.until("it goes on", () -> {
                    try {
                        return one.lock("again").tryLock();
                    } catch (BackendException later) {
                        return false;
                    }
                });
            }
        }
    }

    @Test
    void otherUsersAreRefusedWithAReason() {
        try (EtcdCluster cluster = withUsers()) {
            refused(cluster, EtcdSite.options(), "Set the user and the password (EtcdOptions.withCredentials)");
            refused(cluster, EtcdSite.options().withCredentials("shop", "wrong-horse"), "authentication failed");
            refused(
                    cluster,
                    EtcdSite.options().withCredentials("stranger", PASSWORD),
                    "The user needs the right to read and write all keys with the prefix");
        }
    }

    private static void refused(EtcdCluster cluster, EtcdOptions options, String reason) {
        assertThatThrownBy(() -> LockClient.create(EtcdBackend.connect(cluster.endpoints(), options)))
                .isInstanceOf(BackendException.class)
                .hasMessageContaining(reason)
                .hasMessageNotContaining("horse");
        assertThat(options.toString()).doesNotContain("horse");
    }

    @Test
    @EnabledIfSystemProperty(named = "boltwork.proof", matches = "true", disabledReason = "-Dboltwork.proof=true")
    void clientsWithACertificateShareALockAndOthersAreRefused() throws IOException {
        try (Certificates certificates = Certificates.make();
                EtcdCluster cluster = EtcdCluster.start(
                        1,
                        "--cert-file",
                        certificates.server().toString(),
                        "--key-file",
                        certificates.serverKey().toString(),
                        "--client-cert-auth",
                        "--trusted-ca-file",
                        certificates.authority().toString())) {
            EtcdOptions trusting = EtcdSite.options().withTrustedCertificates(certificates.authority());
            Path certificate = directory.resolve("client.pem");
            Files.writeString(
                    certificate, Files.readString(certificates.client()) + Files.readString(certificates.clientKey()));
            EtcdOptions known = trusting.withClientCertificate(certificate);
            assertThat(known.trustedCertificates()).contains(certificates.authority());
            assertThat(known.clientCertificate()).contains(certificate);
            HttpClient http =
                    HttpClient.newBuilder().sslContext(known.tls().context()).build();
            try (LockClient one = LockClient.create(EtcdBackend.connect(cluster.endpoints(), known));
                    LockClient two = LockClient.create(EtcdBackend.on(http, cluster.endpoints(), EtcdSite.options()))) {
                handOver(one, two);
            }
            refused(cluster, trusting, "cannot be");
            refused(cluster, EtcdSite.options(), "cannot be");
            refused(cluster, EtcdSite.options().withTrustedCertificates(certificates.stranger()), "cannot be");
        }
    }

    @Test
    void filesThatAreNoCertificatesAreNamed() throws IOException {
        Path empty = Files.writeString(directory.resolve("empty.pem"), "no certificate");
        for (EtcdOptions wrong : new EtcdOptions[] {
            EtcdSite.options().withTrustedCertificates(empty),
            EtcdSite.options().withClientCertificate(empty)
        }) {
            assertThatThrownBy(() -> EtcdBackend.connect("https://localhost:2379", wrong))
                    .isInstanceOf(BackendException.class)
                    .hasMessageContaining("certificates for etcd cannot be used")
                    .hasMessageContaining("empty.pem");
        }
        assertThatThrownBy(() -> EtcdSite.options().withClientCertificate(directory.resolve("missing.pem")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("certificate must be a file that can be read");
    }
}
