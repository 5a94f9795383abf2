// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.lettuce.core.SslOptions;
import io.lettuce.core.resource.ClientResources;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RedisOptionsTest {

    @Test
    void thePrefixIsBoltworkUnlessGiven() {
        assertThat(RedisOptions.defaults().keyPrefix()).isEqualTo("boltwork");
        RedisOptions other = RedisOptions.defaults().keyPrefix("shop:a%");
        assertThat(other.keyPrefix()).isEqualTo("shop:a%");
        assertThat(other).hasToString("RedisOptions[keyPrefix=shop:a%]");
        assertThat(RedisOptions.defaults().keyPrefix()).isEqualTo("boltwork");
    }

    @Test
    void clientResourcesAndPrefixCanBeCombined() {
        ClientResources resources = ClientResources.create();
        try {
            RedisOptions options = RedisOptions.defaults().withClientResources(resources);
            assertThat(options.keyPrefix("shop").clientResources()).containsSame(resources);
            assertThat(options).hasToString("RedisOptions[keyPrefix=boltwork, clientResources given]");
            assertThat(RedisOptions.defaults()
                            .keyPrefix("shop")
                            .withClientResources(resources)
                            .keyPrefix())
                    .isEqualTo("shop");
            assertThat(RedisOptions.defaults().clientResources()).isEmpty();
            assertThatExceptionOfType(NullPointerException.class)
                    .isThrownBy(() -> options.withClientResources(null))
                    .withMessage("resources");
        } finally {
            resources.shutdown();
        }
    }

    @Test
    void optionsOfConnectionsAreReadBack(@TempDir Path directory) throws IOException {
        RedisOptions defaults = RedisOptions.defaults();
        assertThat(defaults.trustedCertificates()).isEmpty();
        assertThat(defaults.clientCertificate()).isEmpty();
        assertThat(defaults.clientKey()).isEmpty();
        assertThat(defaults.sslOptions()).isEmpty();
        assertThat(defaults.lazyConnect()).isFalse();
        Path authorities = Files.createFile(directory.resolve("ca.pem"));
        Path certificate = Files.createFile(directory.resolve("client.pem"));
        Path key = Files.createFile(directory.resolve("client.key"));
        SslOptions tls = SslOptions.create();
        RedisOptions options = defaults.withTrustedCertificates(authorities)
                .withClientCertificate(certificate, key)
                .withSslOptions(tls)
                .withLazyConnect(true)
                .withBridge(Bridge.redisson());
        assertThat(options.trustedCertificates()).contains(authorities);
        assertThat(options.clientCertificate()).contains(certificate);
        assertThat(options.clientKey()).contains(key);
        assertThat(options.sslOptions()).containsSame(tls);
        assertThat(options.lazyConnect()).isTrue();
        assertThat(options.bridge()).isPresent();
    }

    @Test
    void theBridgeCoversTheNamesThatMatchAPattern() {
        Bridge all = Bridge.redisson();
        Bridge some = all.withNames("orders:*", "c?upon");
        assertThat(List.of("orders:7", "orders:", "coupon", "anything")).allMatch(all::covers);
        assertThat(List.of("orders:7", "orders:", "coupon")).allMatch(some::covers);
        assertThat(List.of("order", "my orders:7", "coupons")).noneMatch(some::covers);
        assertThat(RedisOptions.defaults().bridge()).isEmpty();
        assertThat(RedisOptions.defaults().withBridge(some).keyPrefix("shop"))
                .hasToString("RedisOptions[keyPrefix=shop, bridge=Bridge[redisson, names=[orders:*, c?upon]]]");
        assertThatIllegalArgumentException()
                .isThrownBy(all::withNames)
                .withMessage("patterns must not be empty; omit withNames to share all names");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> all.withNames("a", ""))
                .withMessage("patterns must not contain an empty one, but are [a, ]");
        for (String pattern : List.of("{orders}:*", "a}", "50%")) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> all.withNames("a", pattern))
                    .withMessageContaining("must not contain {, } or %")
                    .withMessageEndingWith("but are [a, " + pattern + "]");
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RedisBackend.connectQuorum(
                        List.of("redis://a", "redis://b", "redis://c"),
                        RedisOptions.defaults().withBridge(all)))
                .withMessageContaining("options must have no bridge");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", " ", "a b", "a{", "}", "a\tb", "a\n", "a\0", "a\ud800", "\udc00a", "a:semaphore", "a:grants"
            })
    void anInvalidPrefixIsRefused(String prefix) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RedisOptions.defaults().keyPrefix(prefix))
                .withMessageContaining("prefix");
    }

    @Test
    void theConnectTimeoutIsTenSecondsUnlessSet() {
        assertThat(RedisOptions.defaults().connectTimeout()).isEqualTo(Duration.ofSeconds(10));
        assertThat(RedisOptions.defaults()).asString().doesNotContain("connectTimeout");
        RedisOptions options = RedisOptions.defaults().withConnectTimeout(Duration.ofSeconds(30));
        assertThat(options.withIdleLife(Duration.ofHours(1)).connectTimeout()).isEqualTo(Duration.ofSeconds(30));
        assertThat(options).hasToString("RedisOptions[keyPrefix=boltwork, connectTimeout=30 s]");
        for (Duration wrong : List.of(Duration.ZERO, Duration.ofMinutes(11))) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> options.withConnectTimeout(wrong))
                    .withMessageContaining("timeout must be between 1 ms and 10 min");
        }
    }

    @Test
    void theIdleLifeIsTenMinutesUnlessSet() {
        assertThat(RedisOptions.defaults().idleLife()).isEqualTo(Duration.ofMinutes(10));
        RedisOptions day =
                RedisOptions.defaults().withIdleLife(Duration.ofDays(1)).keyPrefix("shop");
        assertThat(day.idleLife()).isEqualTo(Duration.ofDays(1));
        assertThat(day).hasToString("RedisOptions[keyPrefix=shop, idleLife=PT24H]");
        assertThat(day.withIdleLife(Duration.ofMinutes(1)).idleLife()).isEqualTo(Duration.ofMinutes(1));
        assertThat(day.withIdleLife(Duration.ofDays(7)).idleLife()).isEqualTo(Duration.ofDays(7));
    }

    @Test
    void anIdleLifeOutOfRangeIsRefused() {
        for (Duration absurd : List.of(
                Duration.ZERO, Duration.ofMillis(59_999), Duration.ofDays(7).plusMillis(1), Duration.ofSeconds(-60))) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> RedisOptions.defaults().withIdleLife(absurd))
                    .withMessage("idleLife must be between 1 min and 7 days, but is " + absurd);
        }
        assertThatExceptionOfType(NullPointerException.class)
                .isThrownBy(() -> RedisOptions.defaults().withIdleLife(null))
                .withMessage("idleLife");
    }
}
