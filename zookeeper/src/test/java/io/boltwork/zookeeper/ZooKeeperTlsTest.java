// SPDX-License-Identifier: Apache-2.0
package io.boltwork.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.BackendException;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.testkit.server.Certificates;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Task;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** Clients of a server that speaks TLS only. */
@EnabledIfSystemProperty(named = "boltwork.proof", matches = "true", disabledReason = "-Dboltwork.proof=true")
class ZooKeeperTlsTest {
    @TempDir
    private static Path directory;

    private static Certificates certificates;
    private static SecureServer strict;
    private static SecureServer open;

    @BeforeAll
    static void start() throws IOException {
        certificates = Certificates.make();
        strict = new SecureServer(Files.createDirectory(directory.resolve("strict")), certificates, "need");
        open = new SecureServer(Files.createDirectory(directory.resolve("open")), certificates, "none");
    }

    @AfterAll
    static void stop() throws Exception {
        for (AutoCloseable each : Arrays.asList(strict, open, certificates)) {
            if (each != null) {
                each.close();
            }
        }
    }

    private static ZooKeeperOptions trusting() {
        return ZooKeeperSite.options().withTrustedCertificates(certificates.authority());
    }

    private static ZooKeeperOptions known() throws IOException {
        return trusting()
                .withClientCertificate(SecureServer.joined(
                        directory.resolve("client.pem"), certificates.client(), certificates.clientKey()));
    }

    @Test
    void filesAreReadBack() throws IOException {
        assertThat(ZooKeeperOptions.defaults().trustedCertificates()).isEmpty();
        assertThat(ZooKeeperOptions.defaults().clientCertificate()).isEmpty();
        assertThat(known().trustedCertificates()).contains(certificates.authority());
        assertThat(known().clientCertificate()).contains(directory.resolve("client.pem"));
    }

    private static void handOver(LockClient from, LockClient to) {
        Lease lease = from.lock("tls").acquire();
        Task<Boolean> waiter = Task.start("waiter", () -> {
            try (Lease next = to.lock("tls").acquire()) {
                return next.verify();
            }
        });
        Await.until("it waits", () -> !from.inspector().describe("tls").queue().isEmpty());
        assertThat(lease.verify()).isTrue();
        lease.release();
        assertThat(waiter.get()).isTrue();
    }

    @Test
    void clientsWithACertificateShareALock() throws IOException {
        try (LockClient one = LockClient.create(ZooKeeperBackend.connect(strict.connectString(), known()));
                LockClient two = LockClient.create(ZooKeeperBackend.connect(strict.connectString(), known()))) {
            handOver(one, two);
        }
    }

    @Test
    void frameworkOfTheUsersMayHaveTls() throws IOException {
        try (CuratorFramework framework = CuratorFrameworkFactory.builder()
                .connectString(open.connectString())
                .retryPolicy(new RetryOneTime(100))
                .zkClientConfig(trusting().tls().configuration())
                .build()) {
            framework.start();
            try (LockClient one = LockClient.create(ZooKeeperBackend.on(framework));
                    LockClient two = LockClient.create(ZooKeeperBackend.connect(open.connectString(), trusting()))) {
                handOver(one, two);
            }
        }
    }

    @Test
    void clientsThatCannotProveOrVerifyDoNotConnect() {
        refused(strict, trusting());
        refused(open, ZooKeeperSite.options().withTrustedCertificates(certificates.stranger()));
        refused(open, ZooKeeperSite.options());
    }

    @Test
    void filesThatAreNoCertificatesAreNamed() throws IOException {
        Path empty = Files.writeString(directory.resolve("empty.pem"), "no certificate");
        assertThatThrownBy(() -> LockClient.create(ZooKeeperBackend.connect(
                        open.connectString(), ZooKeeperSite.options().withTrustedCertificates(empty))))
                .isInstanceOf(BackendException.class)
                .hasMessageContaining("certificates for ZooKeeper cannot be used");
        assertThatThrownBy(() -> LockClient.create(ZooKeeperBackend.connect(
                        open.connectString(), trusting().withClientCertificate(certificates.client()))))
                .isInstanceOf(BackendException.class)
                .hasMessageContaining("certificates for ZooKeeper cannot be used");
        assertThatThrownBy(() -> trusting().withClientCertificate(directory.resolve("missing.pem")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("certificate must be a file that can be read");
    }

    private static void refused(SecureServer server, ZooKeeperOptions options) {
        assertThatThrownBy(() -> LockClient.create(ZooKeeperBackend.connect(server.connectString(), options)))
                .isInstanceOf(BackendException.class)
                .hasMessageContaining("cannot be reached");
    }
}
