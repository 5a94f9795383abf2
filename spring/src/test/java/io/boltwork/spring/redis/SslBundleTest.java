// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.redis;

import static io.boltwork.spring.TestApplication.assertUsable;
import static io.boltwork.spring.TestApplication.redis;
import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.LockClient;
import io.boltwork.testkit.server.Certificates;
import io.boltwork.testkit.server.RedisServer;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.SslOptions;
import io.lettuce.core.SslVerifyMode;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Tests TLS options from all sources with a server that requires a client certificate. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class SslBundleTest {
    private static Certificates certificates;
    private static RedisServer server;

    @BeforeAll
    static void start() {
        Assumptions.assumeTrue(RedisServer.knowsTls(), "SKIPPED: this redis-server has no TLS");
        certificates = Certificates.make();
        server = RedisServer.startTls(certificates, true);
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            server.close();
            certificates.close();
        }
    }

    @Test
    void bundleOfTheApplicationsOwnConnection() {
        assertConnects(bundled(
                "spring.data.redis.host=127.0.0.1",
                "spring.data.redis.port=" + port(),
                "spring.data.redis.ssl.bundle=redis"));
    }

    @Test
    void bundleOfTheUri() {
        assertConnects(bundled("boltwork.redis.uri=" + server.tlsUri(), "boltwork.redis.ssl-bundle=redis"));
    }

    @Test
    void bundleOfTheShortForm() {
        assertConnects(bundled(
                "boltwork.lock.server.address=rediss://127.0.0.1:" + port(), "boltwork.redis.ssl-bundle=redis"));
    }

    @Test
    void bundleOfAServiceConnection() {
        assertConnects(bundled("spring.data.redis.port=1").withUserConfiguration(ServiceConnection.class));
    }

    @Test
    void bundleOfTheApplicationsOwnConnectionWithJedis() {
        assertConnects(bundled(
                "spring.data.redis.client-type=jedis",
                "spring.data.redis.host=127.0.0.1",
                "spring.data.redis.port=" + port(),
                "spring.data.redis.ssl.bundle=redis"));
    }

    @Test
    void optionsOfTheApplicationsOwnFactory() {
        LettuceClientConfiguration client = LettuceClientConfiguration.builder()
                .clientOptions(ClientOptions.builder()
                        .sslOptions(SslOptions.builder()
                                .trustManager(certificates.authority().toFile())
                                .keyManager(
                                        certificates.client().toFile(),
                                        certificates.clientKey().toFile(),
                                        null)
                                .build())
                        .build())
                .useSsl()
                .verifyPeer(SslVerifyMode.CA)
                .build();
        assertConnects(redis().withPropertyValues("spring.data.redis.port=1", "boltwork.redis.lazy-connect=false")
                .withBean(
                        RedisConnectionFactory.class,
                        () -> new LettuceConnectionFactory(
                                new RedisStandaloneConfiguration("127.0.0.1", port()), client)));
    }

    @Test
    void connectionFailsWithoutTheBundle() {
        bundled("boltwork.redis.uri=" + server.tlsUri())
                .run(context -> assertThat(context).hasFailed());
    }

    @Configuration(proxyBeanMethods = false)
    static class ServiceConnection {
        @Bean
        DataRedisConnectionDetails details(SslBundles bundles) {
            return new Details(bundles.getBundle("redis"));
        }
    }

    private record Details(SslBundle bundle) implements DataRedisConnectionDetails {
        @Override
        public Standalone getStandalone() {
            return Standalone.of("127.0.0.1", port());
        }

        @Override
        public SslBundle getSslBundle() {
            return bundle;
        }
    }

    private static int port() {
        return Integer.parseInt(server.tlsUri().replaceAll(".*:", ""));
    }

    private static ApplicationContextRunner bundled(String... properties) {
        return redis().withPropertyValues(properties)
                .withPropertyValues(
                        "spring.ssl.bundle.pem.redis.truststore.certificate=file:" + certificates.authority(),
                        "spring.ssl.bundle.pem.redis.keystore.certificate=file:" + certificates.client(),
                        "spring.ssl.bundle.pem.redis.keystore.private-key=file:" + certificates.clientKey());
    }

    private static void assertConnects(ApplicationContextRunner application) {
        application.run(context -> {
            assertThat(context).hasNotFailed();
            assertUsable(context.getBean(LockClient.class));
        });
    }
}
