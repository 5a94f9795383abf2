// SPDX-License-Identifier: Apache-2.0
package io.boltwork.cdi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.annotation.CurrentLease;
import io.boltwork.annotation.DistributedLock;
import io.boltwork.testkit.server.Certificates;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.server.SentinelGroup;
import jakarta.inject.Singleton;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Settings of the connection, with real servers. */
class ServerSettingsTest {
    @Singleton
    static class Sale {
        @DistributedLock("sale")
        boolean isLocked() {
            return CurrentLease.find().orElseThrow().verify();
        }
    }

    private static void assertLocks(Map<String, String> settings) {
        try (Application application = Application.start(settings, Sale.class)) {
            assertThat(application.get(Sale.class).isLocked()).isTrue();
        }
    }

    @Test
    void tlsAndCertificates() {
        assumeTrue(RedisServer.knowsTls(), "this redis-server does not support TLS");
        try (Certificates certificates = Certificates.make();
                RedisServer redis = RedisServer.startTls(certificates, true)) {
            Map<String, String> settings = new HashMap<>(Map.of(
                    "boltwork.redis.uri", redis.tlsUri(),
                    "boltwork.redis.trusted-certificates",
                            certificates.authority().toString(),
                    "boltwork.redis.client-certificate", certificates.client().toString(),
                    "boltwork.redis.client-key", certificates.clientKey().toString()));
            assertLocks(settings);
            settings.put(
                    "boltwork.redis.trusted-certificates",
                    certificates.stranger().toString());
            settings.put("boltwork.redis.lazy-connect", "false");
            assertThatThrownBy(() -> assertLocks(settings)).hasStackTraceContaining("certificate");
        }
    }

    @Test
    void sentinels() {
        try (SentinelGroup group = SentinelGroup.start()) {
            assertLocks(Map.of("boltwork.redis.uri", group.uri()));
        }
    }

    @Test
    void keysOfTheBridgeAndOthers() {
        try (RedisServer redis = RedisServer.start();
                Application application = Application.start(
                        Map.of(
                                "boltwork.redis.uri", redis.uri(),
                                "boltwork.redis.bridge", "stock:*, orders",
                                "boltwork.redis.key-prefix", "shop"),
                        Sale.class)) {
            LockClient locks = application.get(LockClient.class);
            try (Lease stock = locks.lock("stock:1").acquire();
                    Lease other = locks.lock("other").acquire()) {
                assertThat(stock.verify() && other.verify()).isTrue();
                assertThat(redis.command("TYPE", "stock:1")).isEqualTo("hash"); // as Redisson has it
                assertThat(redis.command("EXISTS", "other")).isEqualTo(0L);
                assertThat(redis.command("KEYS", "shop*").toString()).contains("other");
            }
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    sentinel-username | locks | sentinel-username: It needs a password. Set sentinel-password, too.
                    client-certificate | a.pem | client-key: It is missing. Set client-certificate and client-key
                    client-key | a.pem | client-certificate: It is missing. Set client-certificate and client-key
                    trusted-certificates | none.pem | trusted-certificates = 'none.pem':
                    direct-connections | -1 | direct-connections = '-1':
                    idle-life | 0s | idle-life = 'PT0S':
                    bridge | {x} | boltwork.redis.bridge = '[{x}]':
                    lazy-connect | yes | lazy-connect = 'yes': It must be true or false.
                    """)
    void wrongSettingsEndTheStart(String key, String value, String message) {
        assertThatThrownBy(() ->
                        assertLocks(Map.of("boltwork.redis.uri", "redis://localhost", "boltwork.redis." + key, value)))
                .hasStackTraceContaining(message);
    }
}
