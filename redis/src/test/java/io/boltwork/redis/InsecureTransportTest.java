// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.boltwork.BackendException;
import io.boltwork.redis.address.InsecureTransport;
import io.boltwork.redis.address.RedisDeployment;
import io.boltwork.testkit.server.ClusterGroup;
import io.boltwork.testkit.server.RedisServer;
import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.RedisURI;
import java.text.MessageFormat;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the warning about addresses that others in the network can listen to, once for each backend. */
class InsecureTransportTest {
    private static final String CERTIFICATE = "does not check the server's certificate";
    private static final String PASSWORD = "goes through the network to";

    private final Logger logger = Logger.getLogger("io.boltwork");
    private final List<String> logged = new ArrayList<>();
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord entry) {
            logged.add(entry.getLevel() + " " + MessageFormat.format(entry.getMessage(), entry.getParameters()));
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    @BeforeEach
    void listen() {
        logger.setUseParentHandlers(false);
        logger.addHandler(handler);
    }

    @AfterEach
    void leave() {
        logger.removeHandler(handler);
        logger.setUseParentHandlers(true);
    }

    private void warn(RedisDeployment deployment, RedisOptions options, String warning) {
        logged.clear();
        new InsecureTransport(deployment).check(options.sentinelCredentials() != null);
        if (warning == null) {
            assertThat(logged).isEmpty();
        } else {
            assertThat(logged)
                    .singleElement()
                    .asString()
                    .startsWith("WARNING ")
                    .contains(warning)
                    .doesNotContain("s3cr3t");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "redis://u:s3cr3t@h                              | goes through the network to",
                "redis://:s3cr3t@10.0.0.1                        | goes through the network to",
                "redis://:s3cr3t@localhost.example.org           | goes through the network to",
                "redis://:s3cr3t@128.0.0.1                       | goes through the network to",
                "redis://:s3cr3t@[fe80::1]                       | goes through the network to",
                "redis-sentinel://:s3cr3t@h,i/0#m                | goes through the network to",
                "redis-sentinel://:s3cr3t@127.0.0.1,i/0#m        | goes through the network to",
                "redis://u:s3cr3t@localhost                      |",
                "redis://u:s3cr3t@LOCALHOST                      |",
                "redis://u:s3cr3t@a.localhost                    |",
                "redis://u:s3cr3t@127.0.0.1                      |",
                "redis://u:s3cr3t@127.1.2.3                      |",
                "redis://u:s3cr3t@[::1]                          |",
                "redis://h                                       |",
                "rediss://u:s3cr3t@h                             |",
                "rediss://u:s3cr3t@h?verifyPeer=full             |",
                "rediss://u:s3cr3t@h?verifyPeer=ca               |",
                "rediss://h?verifyPeer=none                      | does not check the server's certificate",
                "rediss://localhost?verifyPeer=none              | does not check the server's certificate",
                "rediss-sentinel://:s3cr3t@h,i/0?verifyPeer=none#m | does not check the server's certificate"
            })
    void anInsecureAddressCausesAWarning(String uri, String warning) {
        warn(RedisDeployment.parse(uri, null), RedisOptions.defaults(), warning);
    }

    @Test
    void eachAddressIsChecked() {
        RedisOptions options = RedisOptions.defaults();
        warn(RedisDeployment.cluster(List.of("redis://:s3cr3t@localhost", "redis://:s3cr3t@h")), options, PASSWORD);
        warn(RedisDeployment.replicated(List.of("rediss://h", "rediss://i?verifyPeer=none")), options, CERTIFICATE);
        warn(RedisDeployment.replicated(List.of("redis://h", "redis://i")), options, null);
    }

    @Test
    void credentialsOfSentinelsAreChecked() {
        RedisOptions options = RedisOptions.defaults().withSentinelCredentials("u", "s3cr3t");
        warn(RedisDeployment.parse("redis-sentinel://h/0#m", options.sentinelCredentials()), options, PASSWORD);
        warn(RedisDeployment.parse("redis-sentinel://localhost/0#m", options.sentinelCredentials()), options, null);
        warn(RedisDeployment.parse("rediss-sentinel://h/0#m", options.sentinelCredentials()), options, null);
    }

    @Test
    void credentialsOfAnApplicationsProviderAreChecked() {
        RedisURI uri = RedisURI.create("redis://h");
        uri.setCredentialsProvider(RedisCredentialsProvider.from(() -> RedisCredentials.just("me", "s3cr3t")));
        warn(RedisDeployment.of(uri, null), RedisOptions.defaults(), PASSWORD);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void eachConnectWarnsOnce(boolean lazy) {
        RedisOptions options = RedisOptions.defaults().withLazyConnect(lazy);
        try (RedisServer server = RedisServer.start()) {
            String uri = "redis://:s3cr3t@boltwork.invalid:" + server.port();
            for (int i = 1; i <= 2; i++) {
                try {
                    RedisBackend.connect(uri, options).close();
                } catch (BackendException unknownHost) {
                    assertThat(lazy).isFalse();
                }
                assertThat(logged)
                        .hasSize(i)
                        .last()
                        .asString()
                        .contains(PASSWORD)
                        .contains("boltwork.invalid");
            }
        }
    }

    @Test
    void aNodeThatTheClusterNamesIsChecked() {
        try (ClusterGroup cluster = ClusterGroup.start(3, 0, ClusterGroup.PATIENCE)) {
            RedisServer node = cluster.nodes().get(0);
            assumeFalse(node.version().startsWith("6."), "skipped: this redis-server announces no names");
            for (RedisServer each : cluster.nodes()) {
                each.command("ACL", "SETUSER", "u", "on", ">s3cr3t", "~*", "&*", "+@all");
            }
            List<String> uris = cluster.uris().stream()
                    .map(uri -> uri.replace("://", "://u:s3cr3t@"))
                    .toList();
            RedisBackend.connectCluster(uris).close();
            assertThat(logged).noneMatch(line -> line.contains(PASSWORD));
            cluster.announce(node, "boltwork.invalid", node.port());
            assertThatExceptionOfType(BackendException.class).isThrownBy(() -> RedisBackend.connectCluster(uris));
            assertThat(logged)
                    .filteredOn(line -> line.contains(PASSWORD))
                    .singleElement()
                    .asString()
                    .contains("to boltwork.invalid in the clear")
                    .doesNotContain("s3cr3t");
        }
    }
}
