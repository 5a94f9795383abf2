// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.autoconfigure;

import static io.boltwork.spring.TestApplication.assertUsable;
import static io.boltwork.spring.TestApplication.assertWrong;
import static io.boltwork.spring.TestApplication.memory;
import static io.boltwork.spring.TestApplication.redis;
import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.LockClient;
import io.boltwork.annotation.DistributedLock;
import io.boltwork.memory.MemoryBackend;
import io.boltwork.redis.RedisBackend;
import io.boltwork.spi.LockBackend;
import io.boltwork.spring.BoltworkLockRegistry;
import io.boltwork.spring.LockTemplate;
import io.boltwork.spring.actuate.LocksHealthIndicator;
import io.boltwork.spring.call.LockInterceptor;
import io.boltwork.spring.properties.LockPropertiesTest;
import io.boltwork.spring.redis.ApplicationRedis;
import io.boltwork.testkit.server.RedisServer;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/** Tests when there is a client, and when {@link DistributedLock} has an effect. */
class ConditionsTest {

    @Test
    void ownBackendTakesPrecedence() {
        for (ApplicationContextRunner application : new ApplicationContextRunner[] {memory(), redis()}) {
            application
                    .withBean("own", LockBackend.class, MemoryBackend::create)
                    .run(context -> assertThat(context)
                            .hasSingleBean(LockBackend.class)
                            .hasBean("own")
                            .hasSingleBean(LockClient.class));
        }
    }

    @Test
    void ownClientTakesPrecedence() {
        redis().withBean("own", LockClient.class, () -> LockClient.create(MemoryBackend.create()))
                .run(context -> assertThat(context)
                        .doesNotHaveBean(LockBackend.class)
                        .hasSingleBean(LockClient.class)
                        .hasSingleBean(LockTemplate.class)
                        .hasSingleBean(LockInterceptor.class));
    }

    @Test
    void ownTemplateTakesPrecedence() {
        LockClient other = LockClient.create(MemoryBackend.create());
        try (other) {
            memory().withBean("own", LockTemplate.class, () -> new LockTemplate(other))
                    .run(context -> assertThat(context)
                            .hasSingleBean(LockTemplate.class)
                            .hasBean("own"));
        }
    }

    @Test
    void nothingIsLockedWithoutAClient() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        DistributedLockAutoConfiguration.class,
                        BoltworkActuatorAutoConfiguration.class,
                        BoltworkIntegrationAutoConfiguration.class))
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean(LockInterceptor.class)
                        .doesNotHaveBean(LocksHealthIndicator.class)
                        .doesNotHaveBean(BoltworkLockRegistry.class));
    }

    @Test
    void memoryNeedsNeitherBoltworkRedisNorLettuce() {
        memory().withClassLoader(new FilteredClassLoader("io.boltwork.redis", "io.lettuce"))
                .run(context -> assertUsable(context.getBean(LockClient.class)));
        redis().withClassLoader(new FilteredClassLoader(RedisBackend.class))
                .run(context -> assertThat(context).getFailure().hasMessageContaining(LockBackend.class.getName()));
    }

    @Test
    void connectionFactoryDetailsAndPropertiesAreUsedInThisOrder() {
        try (RedisServer server = RedisServer.start()) {
            ApplicationContextRunner application =
                    redis().withPropertyValues("spring.data.redis.port=" + server.port());
            application.run(context -> {
                assertThat(context).getBeans(ApplicationRedis.class).hasSize(2);
                assertUsable(context.getBean(LockClient.class));
            });
            application
                    .withClassLoader(new FilteredClassLoader("org.springframework.data.redis"))
                    .run(context -> {
                        assertThat(context).doesNotHaveBean(ApplicationRedis.class);
                        assertUsable(context.getBean(LockClient.class));
                    });
            assertWrong(
                    application.withClassLoader(new FilteredClassLoader("org.springframework.data.redis")),
                    "boltwork.redis.connection-factory=cache",
                    "Spring Data Redis is not on the class path");
            ApplicationContextRunner unconfigured = new ApplicationContextRunner()
                    .withConfiguration(AutoConfigurations.of(BoltworkAutoConfiguration.class));
            unconfigured
                    .withPropertyValues("spring.data.redis.port=" + server.port())
                    .run(context -> {
                        assertThat(context).doesNotHaveBean(RedisConnectionFactory.class);
                        assertUsable(context.getBean(LockClient.class));
                    });
            unconfigured
                    .withBean(DataRedisConnectionDetails.class, () -> new DataRedisConnectionDetails() {
                        @Override
                        public Standalone getStandalone() {
                            return Standalone.of(server.host(), server.port());
                        }
                    })
                    .run(context -> assertUsable(context.getBean(LockClient.class)));
        }
    }

    @Test
    void transactionsAndReactorAreOptional() {
        memory().withClassLoader(
                        new FilteredClassLoader("org.springframework.transaction", "reactor", "org.reactivestreams"))
                .withBean(LockPropertiesTest.Tuned.class)
                .run(context -> assertThat(
                                context.getBean(LockPropertiesTest.Tuned.class).held())
                        .isEqualTo("tuned:1"));
    }
}
