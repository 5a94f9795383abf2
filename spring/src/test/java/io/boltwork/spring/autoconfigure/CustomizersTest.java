// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.autoconfigure;

import static io.boltwork.spring.TestApplication.assertUsable;
import static io.boltwork.spring.TestApplication.assertWrong;
import static io.boltwork.spring.TestApplication.memory;
import static io.boltwork.spring.TestApplication.redis;
import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.LockClient;
import io.boltwork.spring.ClientOptionsCustomizer;
import io.boltwork.spring.RedisOptionsCustomizer;
import io.boltwork.testkit.server.Certificates;
import io.boltwork.testkit.server.RedisServer;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.bootstrap.Bootstrap;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;

/** A property or a customizer can set every option of client and backend. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class CustomizersTest {

    @Configuration(proxyBeanMethods = false)
    static class Executors {
        @Bean
        ThreadPoolTaskExecutor callbacks() {
            ThreadPoolTaskExecutor executor = new ThreadPoolTaskExecutor();
            executor.setThreadNamePrefix("callbacks-");
            executor.setCorePoolSize(4);
            return executor;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class ByCustomizer {
        @Bean
        ClientOptionsCustomizer executor(Executor callbacks) {
            return options -> options.withCallbackExecutor(callbacks);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Ordered {
        @Bean
        @Order(2)
        ClientOptionsCustomizer last() {
            return options -> options.withApplication("last");
        }

        @Bean
        @Order(1)
        ClientOptionsCustomizer first() {
            return options -> options.withApplication("first");
        }

        @Bean
        @Order(2)
        RedisOptionsCustomizer lastPrefix() {
            return options -> options.keyPrefix("mine");
        }

        @Bean
        @Order(1)
        RedisOptionsCustomizer firstPrefix() {
            return options -> options.keyPrefix("first");
        }
    }

    private static String threadOfAResult(LockClient locks) throws Exception {
        return locks.lock("stock")
                .callAsync(
                        Duration.ofSeconds(5),
                        lease -> CompletableFuture.completedFuture(
                                Thread.currentThread().getName()))
                .toCompletableFuture()
                .get(10, TimeUnit.SECONDS);
    }

    @Test
    void callbackExecutor() {
        ApplicationContextRunner application = memory().withUserConfiguration(Executors.class);
        application.run(context ->
                assertThat(threadOfAResult(context.getBean(LockClient.class))).doesNotStartWith("callbacks-"));
        application.withPropertyValues("boltwork.callback-executor=callbacks").run(context -> {
            assertThat(threadOfAResult(context.getBean(LockClient.class))).startsWith("callbacks-");
            assertThat(context.getBeanFactory().getDependentBeans("boltworkLockClient"))
                    .as("the executor is destroyed after the client")
                    .doesNotContain("callbacks");
            assertThat(context.getBeanFactory().getDependentBeans("callbacks")).contains("boltworkLockClient");
        });
        assertWrong(application, "boltwork.callback-executor=nobody", "Candidates: [callbacks]");
        assertWrong(application, "boltwork.callback-executor=boltworkLockTemplate", "java.util.concurrent.Executor");
    }

    @Test
    void customizersOverridePropertiesInOrder() {
        memory().withUserConfiguration(Ordered.class)
                .withPropertyValues("boltwork.application=property")
                .run(context -> {
                    LockClient locks = context.getBean(LockClient.class);
                    assertUsable(locks);
                    assertThat(locks.inspector().clients().get(0).application()).isEqualTo("last");
                });
        try (RedisServer server = RedisServer.start()) {
            redis().withUserConfiguration(Ordered.class)
                    .withPropertyValues("boltwork.redis.uri=" + server.uri(), "boltwork.redis.key-prefix=property")
                    .run(context -> {
                        context.getBean(LockClient.class).lock("stock").lock();
                        assertThat(server.command("EXISTS", "mine:{stock}")).isEqualTo(1L);
                    });
        }
    }

    /** The client needs a customizer's executor while it closes. */
    @Test
    void beansThatACustomizerNeedsOutliveTheClient() {
        memory().withUserConfiguration(Executors.class, ByCustomizer.class).run(context -> {
            assertThat(threadOfAResult(context.getBean(LockClient.class))).startsWith("callbacks-");
            assertThat(context.getBeanFactory().getDependentBeans("boltworkLockClient"))
                    .doesNotContain("callbacks", "executor");
        });
    }

    @Configuration(proxyBeanMethods = false)
    static class Resources {
        @Bean(destroyMethod = "shutdown")
        ClientResources shared(AtomicInteger connections) {
            return ClientResources.builder()
                    .nettyCustomizer(new NettyCustomizer() {
                        @Override
                        public void afterBootstrapInitialized(Bootstrap bootstrap) {
                            connections.incrementAndGet();
                        }
                    })
                    .build();
        }

        @Bean
        AtomicInteger connections() {
            return new AtomicInteger();
        }
    }

    @Test
    void clientResources() {
        try (RedisServer server = RedisServer.start()) {
            ApplicationContextRunner application = redis().withUserConfiguration(Resources.class)
                    .withPropertyValues("boltwork.redis.uri=" + server.uri());
            application.run(
                    context -> assertThat(context.getBean(AtomicInteger.class)).hasValue(0));
            application
                    .withPropertyValues("boltwork.redis.client-resources=shared")
                    .run(context -> {
                        assertUsable(context.getBean(LockClient.class));
                        assertThat(context.getBean(AtomicInteger.class)).hasPositiveValue();
                        assertThat(context.getBeanFactory().getDependentBeans("shared"))
                                .contains("boltworkBackend");
                        context.getBean(LockClient.class).lock("held").lock();
                    });
            application.run(context -> assertThat(
                            context.getBean(LockClient.class).lock("held").isLocked())
                    .as("the client closes before the resources")
                    .isFalse());
            assertWrong(application, "boltwork.redis.client-resources=nobody", "Candidates: [shared]");
        }
    }

    @Test
    void trustedCertificatesClientCertificateAndKey() {
        Assumptions.assumeTrue(RedisServer.knowsTls(), "SKIPPED: this redis-server has no TLS");
        try (Certificates certificates = Certificates.make();
                RedisServer server = RedisServer.startTls(certificates, true)) {
            ApplicationContextRunner application = redis().withPropertyValues(
                            "boltwork.redis.uri=" + server.tlsUri(), "boltwork.redis.lazy-connect=false");
            String trusted = "boltwork.redis.trusted-certificates=" + certificates.authority();
            String certificate = "boltwork.redis.client-certificate=" + certificates.client();
            String key = "boltwork.redis.client-key=" + certificates.clientKey();
            application.withPropertyValues(trusted, certificate, key).run(context -> {
                assertThat(context).hasNotFailed();
                assertUsable(context.getBean(LockClient.class));
            });
            application
                    .withPropertyValues(trusted)
                    .run(context -> assertThat(context)
                            .as("the server requires a client certificate")
                            .hasFailed());
            application
                    .withPropertyValues(certificate, key)
                    .run(context -> assertThat(context)
                            .as("the JVM does not trust the authority")
                            .hasFailed());
            assertWrong(application, "boltwork.redis.trusted-certificates=/no/such/file", "/no/such/file");
            assertWrong(application, certificate, "needs boltwork.redis.client-key");
            assertWrong(application, key, "needs boltwork.redis.client-certificate");
            assertWrong(
                    application.withPropertyValues(key),
                    "boltwork.redis.client-certificate=/no/such/file",
                    "/no/such/file");
            assertWrong(
                    application.withPropertyValues(certificate), "boltwork.redis.client-key=/no/such/file", "/no/such");
        }
    }
}
