// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static io.boltwork.redis.WrongDeploymentTest.refused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.boltwork.BackendException;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.NodeStatus;
import io.boltwork.spi.Reply.Verdict;
import io.boltwork.testkit.server.Certificates;
import io.boltwork.testkit.server.RedisServer;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Tests servers that use TLS with certificates of a private authority. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class TlsTest {
    private static Certificates certificates;
    private static RedisServer server;
    private static RedisServer strict;
    private static RedisServer named;

    @BeforeAll
    static void start() {
        assumeTrue(RedisServer.knowsTls(), "skipped: this redis-server was built without TLS");
        certificates = Certificates.make();
        server = RedisServer.startTls(certificates, false);
        strict = RedisServer.startTls(certificates, true);
        named = RedisServer.startNamed(certificates);
    }

    @AfterAll
    static void stop() {
        if (certificates != null) {
            server.close();
            strict.close();
            named.close();
            certificates.close();
        }
    }

    private static RedisOptions trusting(Path authority) {
        return RedisOptions.defaults().withTrustedCertificates(authority);
    }

    private static void works(LockBackend backend) {
        try (Client client = Client.open("a", backend)) {
            long token = client.acquire("l", "a:1").token();
            assertThat(client.acquire("l", "a:2").verdict()).isEqualTo(Verdict.QUEUED);
            client.release("l", "a:1", token);
            assertThat(client.nextGrant().request()).isEqualTo("a:2");
            client.withdraw("l", "a:2", 0);
        }
    }

    @Test
    void aUserDefinedAuthorityIsTrusted() {
        works(RedisBackend.connect(server.tlsUri(), trusting(certificates.authority())));
        works(RedisBackend.connectReplicated(List.of(server.tlsUri()), trusting(certificates.authority())));
        works(RedisBackend.connect(
                server.tlsUri().replace("rediss:", "rediss-replicated:"), trusting(certificates.authority())));
    }

    @Test
    void aQuorumByUriUsesTls() {
        try (RedisServer two = RedisServer.startTls(certificates, false);
                RedisServer three = RedisServer.startTls(certificates, false)) {
            List<RedisServer> servers = List.of(server, two, three);
            servers.forEach(WatchedRun::note);
            String uri = servers.stream()
                    .map(each -> each.tlsUri().replace("rediss://", ""))
                    .collect(Collectors.joining(",", "rediss-quorum://", ""));
            try (LockClient locks = LockClient.create(RedisBackend.connect(uri, trusting(certificates.authority())));
                    Lease lease = locks.lock("of three").acquire()) {
                assertThat(lease.isValid()).isTrue();
                assertThat(locks.health().nodes()).hasSize(3).allMatch(NodeStatus::reachable);
            }
        }
    }

    @Test
    void aClientPresentsItsCertificate() {
        RedisOptions options = trusting(certificates.authority())
                .withClientCertificate(certificates.client(), certificates.clientKey());
        works(RedisBackend.connect(strict.tlsUri(), options));
        assertThat(options.toString()).contains("client.pem").doesNotContain("client.key");
    }

    @Test
    void aRequiredButMissingClientCertificateIsReported() {
        BackendException refused =
                refused(() -> RedisBackend.connect(strict.tlsUri(), trusting(certificates.authority())));
        assertThat(refused).hasMessageContaining("RedisOptions.withClientCertificate");
        assertThat(refused.isRetryable()).isFalse();
    }

    @Test
    void aWrongAuthority() {
        for (RedisOptions options : List.of(RedisOptions.defaults(), trusting(certificates.stranger()))) {
            BackendException refused = refused(() -> RedisBackend.connect(server.tlsUri(), options));
            assertThat(refused).hasMessageContaining("certificate is not trusted");
            assertThat(refused.isRetryable()).isFalse();
        }
    }

    @Test
    void aCertificateForAnotherNameIsRefused() {
        RedisOptions options = trusting(certificates.authority());
        BackendException refused = refused(() -> RedisBackend.connect(named.tlsUri(), options));
        assertThat(refused)
                .hasMessageContaining("127.0.0.1:" + named.tlsPort() + ": its certificate is not for that name")
                .hasMessageContaining("verifyPeer=ca");
        assertThat(refused.isRetryable()).isFalse();
        assertThat(refused(() -> RedisBackend.connectReplicated(List.of(named.tlsUri()), options)))
                .hasMessageContaining("its certificate is not for that name");
    }

    @Test
    void aCertificateForTheRightNameIsAccepted() {
        String uri = named.tlsUri().replace("127.0.0.1", "localhost");
        works(RedisBackend.connect(uri, trusting(certificates.authority())));
    }

    @Test
    void anotherNameIsAcceptedWithoutVerification() {
        works(RedisBackend.connect(named.tlsUri() + "?verifyPeer=ca", trusting(certificates.authority())));
        works(RedisBackend.connect(named.tlsUri() + "?verifyPeer=none"));
        BackendException refused = refused(
                () -> RedisBackend.connect(named.tlsUri() + "?verifyPeer=ca", trusting(certificates.stranger())));
        assertThat(refused).hasMessageContaining("certificate is not trusted");
    }

    @Test
    void plainToATlsPort() {
        BackendException refused =
                refused(() -> RedisBackend.connect(server.tlsUri().replace("rediss", "redis")));
        assertThat(refused).hasMessageContaining("rediss://");
    }

    @Test
    void tlsToAPlainPort() {
        BackendException refused = refused(() ->
                RedisBackend.connect(server.uri().replace("redis", "rediss"), trusting(certificates.authority())));
        assertThat(refused).hasMessageContaining("does it speak TLS there?");
    }

    @Test
    void filesThatAreNotThereAreNamed() {
        Path none = Path.of("no-such-file.pem");
        RedisOptions options = RedisOptions.defaults();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> options.withTrustedCertificates(none))
                .withMessageContaining("authorities")
                .withMessageContaining("no-such-file.pem");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> options.withClientCertificate(certificates.client(), none))
                .withMessageContaining("key");
        assertThat(options.withTrustedCertificates(certificates.clientKey()).toString())
                .contains("client.key");
    }

    @Test
    void aFileWithoutACertificateIsNamed() {
        BackendException refused =
                refused(() -> RedisBackend.connect(server.tlsUri(), trusting(certificates.clientKey())));
        assertThat(refused.isRetryable()).isFalse();
    }
}
