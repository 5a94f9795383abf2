// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.redis;

import static io.boltwork.spring.TestApplication.assertUsable;
import static io.boltwork.spring.TestApplication.redis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.boltwork.LockClient;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.server.ReplicaGroup;
import io.boltwork.testkit.server.SentinelGroup;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.testcontainers.service.connection.ServiceConnection;
import org.springframework.boot.testcontainers.service.connection.ServiceConnectionAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.testcontainers.containers.GenericContainer;

/** Connection details from {@code @ServiceConnection} and Docker Compose override all properties of the application. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class ServiceConnectionTest {
    /* no server listens there */
    private static final String WRONG = "spring.data.redis.port=1";

    @Test
    void standalone() {
        try (RedisServer server = RedisServer.start("--requirepass", "s3cret")) {
            assertFound(new Details() {
                @Override
                public String getPassword() {
                    return "s3cret";
                }

                @Override
                public Standalone getStandalone() {
                    return Standalone.of(server.host(), server.port(), 2);
                }
            });
        }
    }

    @Test
    void sentinels() {
        try (SentinelGroup group = SentinelGroup.start()) {
            assertFound(new Details() {
                @Override
                public Sentinel getSentinel() {
                    return new Sentinel() {
                        @Override
                        public int getDatabase() {
                            return 0;
                        }

                        @Override
                        public String getMaster() {
                            return SentinelGroup.NAME;
                        }

                        @Override
                        public List<Node> getNodes() {
                            return nodes(group.sentinels());
                        }

                        @Override
                        public @Nullable String getUsername() {
                            return null;
                        }

                        @Override
                        public @Nullable String getPassword() {
                            return null;
                        }
                    };
                }
            });
        }
    }

    @Test
    void masterAndReplicas() {
        try (ReplicaGroup group = ReplicaGroup.start(1)) {
            assertFound(new Details() {
                @Override
                public MasterReplica getMasterReplica() {
                    return () -> nodes(group.servers());
                }
            });
        }
    }

    @Test
    void detailsWithoutAnAddressAreRefused() {
        assertThatIllegalStateException()
                .isThrownBy(() -> new DetailsRedis(new Details(), 0).target(null))
                .withMessageContaining("does not contain the address of any Redis server");
    }

    @Test
    void boltworkPropertiesOverrideConnectionDetails() {
        DataRedisConnectionDetails unreachable = new Details() {
            @Override
            public Standalone getStandalone() {
                return Standalone.of("127.0.0.1", 1);
            }
        };
        details(unreachable)
                .withPropertyValues("boltwork.backend=memory")
                .run(context -> assertUsable(context.getBean(LockClient.class)));
    }

    /** A test with {@code @ServiceConnection}, but without Docker. */
    @Test
    void detailsOfAContainer() {
        try (RedisServer server = RedisServer.start()) {
            redis().withConfiguration(AutoConfigurations.of(ServiceConnectionAutoConfiguration.class))
                    .withBean(RedisServer.class, () -> server, definition -> definition.setDestroyMethodName(""))
                    .withUserConfiguration(Containers.class)
                    .withPropertyValues(WRONG)
                    .run(context -> {
                        assertThat(context).hasSingleBean(DataRedisConnectionDetails.class);
                        assertUsable(context.getBean(LockClient.class));
                    });
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Containers {
        @Bean
        @ServiceConnection("redis")
        Container redis(RedisServer server) {
            return new Container(server);
        }
    }

    /** Stands for a container, but uses a server without one. */
    static final class Container extends GenericContainer<Container> {
        private final RedisServer server;

        Container(RedisServer server) {
            super("redis:8");
            this.server = server;
        }

        @Override
        public void start() {}

        @Override
        public void stop() {}

        @Override
        public String getHost() {
            return server.host();
        }

        @Override
        public Integer getFirstMappedPort() {
            return server.port();
        }

        @Override
        public Integer getMappedPort(int originalPort) {
            return server.port();
        }
    }

    private static class Details implements DataRedisConnectionDetails {}

    private static List<DataRedisConnectionDetails.Node> nodes(List<RedisServer> servers) {
        return servers.stream()
                .map(each -> new DataRedisConnectionDetails.Node(each.host(), each.port()))
                .toList();
    }

    private static ApplicationContextRunner details(DataRedisConnectionDetails details) {
        return redis().withBean(DataRedisConnectionDetails.class, () -> details).withPropertyValues(WRONG);
    }

    private static void assertFound(DataRedisConnectionDetails details) {
        details(details).run(context -> {
            assertThat(context).hasNotFailed();
            assertUsable(context.getBean(LockClient.class));
        });
    }
}
