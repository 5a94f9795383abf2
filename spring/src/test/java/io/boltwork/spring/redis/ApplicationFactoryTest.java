// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.redis;

import static io.boltwork.spring.TestApplication.assertUsable;
import static io.boltwork.spring.TestApplication.redis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.spring.LockTemplate;
import io.boltwork.spring.autoconfigure.BoltworkAutoConfiguration;
import io.boltwork.spring.autoconfigure.RedisFactoryFailureAnalyzer;
import io.boltwork.testkit.server.RedisServer;
import io.lettuce.core.internal.HostAndPort;
import io.lettuce.core.resource.DnsResolvers;
import io.lettuce.core.resource.MappingSocketAddressResolver;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.ClientResourcesBuilderCustomizer;
import org.springframework.boot.data.redis.autoconfigure.LettuceClientConfigurationBuilderCustomizer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

/** The locks of an application are where its own {@code RedisConnectionFactory} connects to. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
@ExtendWith(OutputCaptureExtension.class)
class ApplicationFactoryTest {
    /* no server listens there */
    private static final String WRONG = "spring.data.redis.port=1";

    private static RedisServer server;

    @BeforeAll
    static void start() {
        server = RedisServer.start("--requirepass", "s3cret");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static RedisStandaloneConfiguration standalone() {
        RedisStandaloneConfiguration one = new RedisStandaloneConfiguration(server.host(), server.port());
        one.setPassword("s3cret");
        one.setDatabase(3);
        return one;
    }

    private static void assertLocksAreThere(ApplicationContextRunner application) {
        application.withPropertyValues("boltwork.redis.lazy-connect=false").run(context -> {
            assertThat(context).hasNotFailed();
            StringRedisTemplate template = context.getBean(StringRedisTemplate.class);
            try (Lease lease = context.getBean(LockClient.class).lock("where").acquire()) {
                assertThat(lease.isValid()).isTrue();
                assertThat(template.hasKey("boltwork:{where}")).isTrue();
            }
        });
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnLettuce {
        @Bean
        LettuceConnectionFactory cache() {
            return new LettuceConnectionFactory(standalone());
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnJedis {
        @Bean
        JedisConnectionFactory cache() {
            return new JedisConnectionFactory(standalone());
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnLocation {
        @Bean
        RedisStandaloneConfiguration location() {
            return standalone();
        }
    }

    @Test
    void lettuceFactoryOfTheApplication(CapturedOutput output) {
        assertLocksAreThere(redis().withUserConfiguration(OwnLettuce.class).withPropertyValues(WRONG));
        assertThat(output).doesNotContain("s3cret").doesNotContain("not eligible for getting processed");
    }

    @Test
    void jedisFactoryOfTheApplication() {
        assertLocksAreThere(redis().withUserConfiguration(OwnJedis.class).withPropertyValues(WRONG));
    }

    @Test
    void configurationBeanThatSpringBootsFactoryUses() {
        ApplicationContextRunner application =
                redis().withUserConfiguration(OwnLocation.class).withPropertyValues(WRONG);
        assertLocksAreThere(application);
        assertLocksAreThere(application.withPropertyValues("spring.data.redis.client-type=jedis"));
    }

    @Test
    void jedisFactoryOfSpringBoot() {
        assertLocksAreThere(redis().withPropertyValues(
                        "spring.data.redis.client-type=jedis",
                        "spring.data.redis.port=" + server.port(),
                        "spring.data.redis.password=s3cret",
                        "spring.data.redis.database=3"));
    }

    @Test
    void clientNameAndCustomizers() {
        ApplicationContextRunner application = redis().withPropertyValues(
                        "spring.data.redis.port=" + server.port(),
                        "spring.data.redis.password=s3cret",
                        "spring.data.redis.client-name=shop",
                        "boltwork.redis.lazy-connect=false");
        application.run(context -> {
            assertUsable(context.getBean(LockClient.class));
            assertThat(clients()).contains(" name=shop ");
        });
        application
                .withBean(
                        LettuceClientConfigurationBuilderCustomizer.class,
                        () -> builder -> builder.clientName("customized"))
                .run(context -> {
                    assertUsable(context.getBean(LockClient.class));
                    assertThat(clients()).contains(" name=customized ");
                });
    }

    private static String clients() {
        server.command("AUTH", "s3cret");
        return String.valueOf(server.command("CLIENT", "LIST"));
    }

    /** Without the resolver of the application, the host has no address. */
    @Test
    void addressesAreResolvedAsForTheApplication() {
        redis().withBean(
                        ClientResourcesBuilderCustomizer.class,
                        () -> builder -> builder.socketAddressResolver(MappingSocketAddressResolver.create(
                                DnsResolvers.UNRESOLVED, address -> HostAndPort.of(server.host(), server.port()))))
                .withPropertyValues(
                        "spring.data.redis.host=mapped.invalid",
                        "spring.data.redis.password=s3cret",
                        "boltwork.redis.lazy-connect=false")
                .run(context -> {
                    assertUsable(context.getBean(LockClient.class));
                    assertThat(context.getBeanFactory().getDependenciesForBean("boltworkBackend"))
                            .contains("redisConnectionFactory");
                    context.getBean(LockClient.class).lock("held").lock();
                });
        redis().withPropertyValues("spring.data.redis.port=" + server.port(), "spring.data.redis.password=s3cret")
                .run(context -> assertThat(
                                context.getBean(LockClient.class).lock("held").isLocked())
                        .as("the client closes before the factory and its resources")
                        .isFalse());
    }

    @Configuration(proxyBeanMethods = false)
    static class Failing {
        @Bean
        @Lazy
        RedisConnectionFactory failing() {
            throw new IllegalStateException("must not be created");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class WithLocks {
        @Bean
        LettuceConnectionFactory cache(LockTemplate locks) {
            assertThat(locks).isNotNull();
            return new LettuceConnectionFactory(standalone());
        }
    }

    @Test
    void addressOfTheLocksLeavesTheFactoryAlone() {
        String uri = "boltwork.redis.uri=redis://s3cret@127.0.0.1:" + server.port();
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(BoltworkAutoConfiguration.class))
                .withUserConfiguration(Failing.class)
                .withPropertyValues(uri)
                .run(context -> assertUsable(context.getBean(LockClient.class)));
        redis().withUserConfiguration(WithLocks.class)
                .withPropertyValues(uri)
                .run(context -> assertUsable(context.getBean(LockClient.class)));
    }

    @Test
    void unreadableFactoryStopsTheStart() {
        assertStopped(
                redis().withBean("cache", RedisConnectionFactory.class, () -> mock(RedisConnectionFactory.class)),
                "which Boltwork cannot read");
    }

    @Test
    void factoryThatNeedsLocksStopsTheStart() {
        ApplicationContextRunner application = redis().withUserConfiguration(WithLocks.class);
        assertStopped(application, "needs, directly or indirectly, the lock client");
        assertStopped(
                application.withInitializer(context -> context.addBeanFactoryPostProcessor(
                        beans -> beans.getBeanDefinition("cache").setDependsOn("boltworkLockClient"))),
                "needs, directly or indirectly, the lock client");
    }

    private static void assertStopped(ApplicationContextRunner application, String why) {
        application.run(context -> {
            assertThat(context).hasFailed();
            FailureAnalysis analysis = new RedisFactoryFailureAnalyzer().analyze(context.getStartupFailure());
            assertThat(analysis).isNotNull();
            assertThat(analysis.getDescription())
                    .contains("cannot use the application's Redis for locks", "bean 'cache'", why);
            assertThat(analysis.getAction()).contains("boltwork.redis.uri", "boltwork.backend=memory");
        });
    }
}
