// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.autoconfigure;

import static io.boltwork.spring.TestApplication.assertWrong;
import static io.boltwork.spring.TestApplication.elsewhere;
import static io.boltwork.spring.TestApplication.memory;
import static io.boltwork.spring.TestApplication.redis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.boltwork.ClientClosedException;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.annotation.DistributedLock;
import io.boltwork.annotation.LockMode;
import io.boltwork.annotation.LockRefusedException;
import io.boltwork.memory.MemoryBackend;
import io.boltwork.spring.BoltworkLockRegistry;
import io.boltwork.spring.LockTemplate;
import io.boltwork.spring.actuate.LocksEndpoint;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Await;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.assertj.core.util.Throwables;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.annotation.BeanFactoryAnnotationUtils;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.registry.HealthContributorRegistry;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.integration.support.locks.LockRegistry;
import org.springframework.mock.env.MockEnvironment;

/** Tests the clients of {@code boltwork.clients.*}, and clients that the application defines. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class NamedClientsTest {
    private static final String ORDERS = "boltwork.clients.orders.backend=memory";

    private static <T> T named(ApplicationContext context, Class<T> type, String name) {
        return BeanFactoryAnnotationUtils.qualifiedBeanOfType(context.getAutowireCapableBeanFactory(), type, name);
    }

    /** Gets its beans injected. */
    static class Injected {
        private final LockClient primary;
        private final LockClient orders;
        private final LockTemplate template;
        private final BoltworkLockRegistry registry;

        Injected(
                LockClient primary,
                @Qualifier("orders") LockClient orders,
                @Qualifier("orders") LockTemplate template,
                @Qualifier("orders") BoltworkLockRegistry registry) {
            this.primary = primary;
            this.orders = orders;
            this.template = template;
            this.registry = registry;
        }
    }

    @Test
    void eachHasThreeBeansAndThePrimaryOneIsInjectedByType() {
        AtomicReference<LockClient> closed = new AtomicReference<>();
        memory().withPropertyValues(ORDERS, "boltwork.clients.orders.lock.prefix=o:")
                .withBean(Injected.class)
                .run(context -> {
                    Injected beans = context.getBean(Injected.class);
                    closed.set(beans.orders);
                    assertThat(beans.primary)
                            .isSameAs(context.getBean(LockClient.class))
                            .isSameAs(context.getBean("boltworkLockClient"));
                    assertThat(beans.orders).isNotSameAs(beans.primary).isSameAs(context.getBean("ordersLockClient"));
                    assertThat(context.getBean(LockTemplate.class)).isNotSameAs(beans.template);
                    assertThat(context.getBean(LockRegistry.class)).isNotSameAs(beans.registry);
                    beans.template.executeWithoutResult("a", lease -> {
                        assertThat(beans.orders.lock("a").isLocked()).isTrue();
                        assertThat(beans.primary.lock("a").isLocked()).isFalse();
                    });
                    beans.registry.obtain("a").lock();
                    assertThat(beans.orders.lock("o:a").isLocked()).isTrue();
                    beans.registry.obtain("a").unlock();
                });
        assertThatExceptionOfType(ClientClosedException.class)
                .isThrownBy(() -> closed.get().lock("a").acquire());
    }

    @Test
    void aBeanOfTheApplicationReplacesTheTemplate() {
        LockClient other = LockClient.create(MemoryBackend.create());
        try (other) {
            memory().withPropertyValues(ORDERS)
                    .withBean("ordersLockTemplate", LockTemplate.class, () -> new LockTemplate(other))
                    .run(context -> assertThat(context).hasSingleBean(LockTemplate.class));
        }
    }

    /** A composed annotation. */
    @Retention(RetentionPolicy.RUNTIME)
    @DistributedLock(name = "stock", client = "orders", mode = LockMode.TRY)
    @interface OrderLock {}

    /** Locks of two clients. */
    static class Shop {
        @DistributedLock(name = "stock", mode = LockMode.TRY)
        public String primary() {
            return "done";
        }

        @DistributedLock(name = "stock", client = "${shop.client:orders}", mode = LockMode.TRY)
        public String order() {
            return "done";
        }

        @OrderLock
        public String composed() {
            return "done";
        }

        @DistributedLock(name = "stock", mode = LockMode.TRY)
        @DistributedLock(name = "stock", client = "orders", mode = LockMode.TRY)
        public String both() {
            return "done";
        }
    }

    /** The client of a class. */
    @DistributedLock(name = "stock", client = "orders", mode = LockMode.TRY)
    static class Orders {
        public String order() {
            return "done";
        }

        @DistributedLock(client = "boltworkLockClient")
        public String primary() {
            return "done";
        }
    }

    @Test
    void twoServers() throws Exception {
        try (RedisServer one = RedisServer.start();
                RedisServer two = RedisServer.start()) {
            redis().withPropertyValues(
                            "spring.data.redis.port=" + one.port(),
                            "boltwork.clients.orders.lock.server.address=127.0.0.1:" + two.port())
                    .withBean(Shop.class)
                    .withBean(Orders.class)
                    .run(NamedClientsTest::assertIndependent);
        }
    }

    @Test
    void redisAndADatabase() throws Exception {
        try (RedisServer redis = RedisServer.start()) {
            redis().withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class))
                    .withPropertyValues(
                            "spring.datasource.url=jdbc:h2:mem:clients",
                            "boltwork.redis.uri=" + redis.uri(),
                            "boltwork.clients.orders.backend=jdbc")
                    .withBean(Shop.class)
                    .withBean(Orders.class)
                    .run(NamedClientsTest::assertIndependent);
        }
    }

    /** Without an address, a client is on the application's own Redis. */
    @Test
    void theApplicationsOwnRedisIsTheDefault() {
        try (RedisServer redis = RedisServer.start()) {
            memory().withPropertyValues(
                            "spring.data.redis.port=" + redis.port(), "boltwork.clients.orders.redis.key-prefix=orders")
                    .run(context -> assertThat(named(context, LockClient.class, "orders")
                                    .health()
                                    .nodes())
                            .singleElement()
                            .matches(node -> node.reachable() && node.address().endsWith(":" + redis.port())));
        }
    }

    private static void assertIndependent(ApplicationContext context) throws Exception {
        Shop shop = context.getBean(Shop.class);
        Orders orders = context.getBean(Orders.class);
        assertThat(shop.both()).isEqualTo("done");
        try (Lease lease = elsewhere(named(context, LockClient.class, "orders"), "stock")) {
            assertThat(lease.isValid()).isTrue();
            assertThat(shop.primary()).isEqualTo("done");
            assertThat(orders.primary()).isEqualTo("done");
            for (Runnable refused : List.<Runnable>of(shop::order, shop::composed, shop::both, orders::order)) {
                assertThatExceptionOfType(LockRefusedException.class).isThrownBy(refused::run);
            }
        }
        try (Lease lease = elsewhere(context.getBean(LockClient.class), "stock")) {
            assertThat(lease.isValid()).isTrue();
            assertThat(shop.order()).isEqualTo("done");
            assertThat(orders.order()).isEqualTo("done");
            assertThatExceptionOfType(LockRefusedException.class).isThrownBy(shop::primary);
            assertThatExceptionOfType(LockRefusedException.class).isThrownBy(shop::both);
        }
    }

    /** A method without a client. */
    static class Till {
        private final BeanFactory beans;

        Till(BeanFactory beans) {
            this.beans = beans;
        }

        @DistributedLock("stock")
        public Set<String> buy() {
            return beans.getBeanProvider(LockClient.class).stream()
                    .flatMap(client -> client.inspector().list("*", 10).stream())
                    .map(lock -> lock.name())
                    .collect(Collectors.toSet());
        }
    }

    @Test
    void aPropertyOfTheGroupChoosesAnotherClientWithItsDefaults() {
        memory().withPropertyValues(ORDERS, "boltwork.lock.prefix=p:", "boltwork.clients.orders.lock.prefix=o:")
                .withBean(Till.class)
                .run(context -> assertThat(context.getBean(Till.class).buy()).containsExactly("p:stock"));
        memory().withPropertyValues(ORDERS, "boltwork.lock.prefix=p:", "boltwork.clients.orders.lock.prefix=o:")
                .withPropertyValues("boltwork.lock.names.stock.client=orders")
                .withBean(Till.class)
                .run(context -> assertThat(context.getBean(Till.class).buy()).containsExactly("o:stock"));
    }

    /** Clients of the application. */
    @Configuration(proxyBeanMethods = false)
    static class OwnClients {
        @Bean(defaultCandidate = false)
        LockClient auditLocks() {
            return LockClient.create(MemoryBackend.create());
        }

        @Bean(defaultCandidate = false)
        @Qualifier("orders")
        LockClient second() {
            return LockClient.create(MemoryBackend.create());
        }
    }

    @Test
    void aBeanOfTheApplicationIsChosenByNameOrQualifier() {
        for (String client : List.of("orders", "second")) {
            memory().withPropertyValues("shop.client=" + client)
                    .withUserConfiguration(OwnClients.class)
                    .withBean(Shop.class)
                    .run(context -> {
                        try (Lease lease = elsewhere(context.getBean("second", LockClient.class), "stock")) {
                            assertThat(lease.isValid()).isTrue();
                            assertThatExceptionOfType(LockRefusedException.class)
                                    .isThrownBy(
                                            () -> context.getBean(Shop.class).order());
                        }
                    });
        }
    }

    @Test
    void anUnknownClientStopsTheStart() {
        assertStops(
                memory().withPropertyValues(ORDERS, "shop.client=order"),
                "client = \"order\": there is no LockClient with this name. The nearest one is 'orders'",
                "The clients are boltworkLockClient, orders.");
        assertStops(
                memory().withPropertyValues(ORDERS).withUserConfiguration(OwnClients.class),
                "client = \"orders\": it is a name of several LockClient beans: ",
                "Choose one of them");
        assertWrong(
                memory().withPropertyValues(ORDERS).withBean(Till.class),
                "boltwork.lock.names.stock.client=audit",
                "'audit': there is no LockClient with this name.");
    }

    private static void assertStops(ApplicationContextRunner application, String problem, String action) {
        application.withBean(Shop.class).run(context -> {
            assertThat(context.getStartupFailure()).hasStackTraceContaining(problem);
            assertThat(new LockFailureAnalyzer()
                            .analyze(context.getStartupFailure())
                            .getAction())
                    .contains(action);
        });
    }

    @Test
    void errorsNameThePropertiesOfTheClient() {
        ApplicationContextRunner orders = memory().withPropertyValues("boltwork.clients.orders.application=shop");
        String root = "boltwork.clients.orders.";
        assertWrong(orders, root + "slice=2s", "slice");
        assertWrong(orders, root + "shutdown-time=5", "It must have a unit.");
        assertWrong(orders, root + "lock.lease=1ns", "lease");
        assertWrong(orders, root + "callback-executor=none", "It must be the name of a bean of type");
        assertWrong(orders, root + "redis.ssl-bundle=none", "It has an effect only with " + root + "redis.uri");
        assertWrong(orders, root + "redis.connection-factory=none", "RedisConnectionFactory");
        assertWrong(orders, root + "redis.uri=redis://a b", "");
        assertWrong(memory(), root + "backend=jdbc", "or set " + root + "jdbc.data-source");
        redis().withPropertyValues(
                        "boltwork.backend=memory",
                        root + "redis.uri=redis://127.0.0.1:1",
                        root + "redis.lazy-connect=false")
                .run(context -> {
                    assertThat(context).hasFailed();
                    FailureAnalysis analysis = new ConnectionFailureAnalyzer(
                                    new MockEnvironment().withProperty(root + "backend", "redis"))
                            .analyze(context.getStartupFailure());
                    assertThat(analysis.getDescription())
                            .startsWith("Boltwork cannot use the lock backend of 'orders': ")
                            .contains("Its address is that of " + root + "redis.uri");
                    assertThat(analysis.getAction()).contains("set " + root + "redis.lazy-connect=true");
                });
    }

    @Test
    void thePasswordOfAClientIsNotPrinted() {
        memory().withPropertyValues("boltwork.clients.orders.redis.uri=redis://:s3cret@a b")
                .run(context -> assertThat(Throwables.getStackTrace(context.getStartupFailure()))
                        .contains("boltwork.clients.orders.redis.uri")
                        .doesNotContain("s3cret"));
    }

    @Test
    void healthEndpointAndMetersNameTheClients() {
        memory().withPropertyValues(ORDERS, "management.endpoints.web.exposure.include=locks")
                .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
                .run(context -> {
                    assertThat(context.getBean(HealthContributorRegistry.class).getContributor("locks"))
                            .isInstanceOfSatisfying(
                                    CompositeHealthContributor.class,
                                    locks -> assertThat(locks.stream().map(each -> each.name()))
                                            .containsExactlyInAnyOrder("boltworkLockClient", "orders"));
                    LocksEndpoint endpoint = context.getBean(LocksEndpoint.class);
                    LockTemplate orders = named(context, LockTemplate.class, "orders");
                    orders.executeWithoutResult("stock:1", lease -> {
                        assertThat(endpoint.list(null, null, null, null).locks())
                                .isEmpty();
                        assertThat(endpoint.list(null, null, null, "orders").locks())
                                .hasSize(1);
                        assertThat(endpoint.describe("stock:1", null, null)).isNull();
                        assertThat(endpoint.describe("stock:1", null, "orders")).isNotNull();
                    });
                    assertThatExceptionOfType(InvalidEndpointRequestException.class)
                            .isThrownBy(() -> endpoint.list(null, null, null, "order"))
                            .satisfies(wrong -> assertThat(wrong.getReason())
                                    .isEqualTo("client must be one of boltworkLockClient, orders"));
                    MeterRegistry meters = context.getBean(MeterRegistry.class);
                    Await.until(
                            "the hold is counted",
                            () -> meters.find("boltwork.lock.hold").timer() != null);
                    assertThat(meters.get("boltwork.lock.hold").timer().getId().getTag("client"))
                            .isEqualTo("orders");
                    assertThat(meters.find("boltwork.lock.held").gauges())
                            .extracting(gauge -> gauge.getId().getTag("client"))
                            .containsExactlyInAnyOrder("boltworkLockClient", "orders");
                });
        memory().withBean(MeterRegistry.class, SimpleMeterRegistry::new)
                .run(context -> assertThat(context.getBean(MeterRegistry.class).getMeters())
                        .isNotEmpty()
                        .allMatch(meter -> meter.getId().getTag("client") == null));
    }
}
