// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.autoconfigure;

import static io.boltwork.spring.TestApplication.assertWrong;
import static io.boltwork.spring.TestApplication.redis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.boltwork.LockClient;
import io.boltwork.etcd.EtcdBackend;
import io.boltwork.jdbc.JdbcBackend;
import io.boltwork.spi.LockBackend;
import io.boltwork.spring.SellingShop;
import io.boltwork.testkit.server.EtcdCluster;
import io.boltwork.testkit.server.PostgresServer;
import io.boltwork.zookeeper.ZooKeeperBackend;
import java.net.InetSocketAddress;
import java.net.ProxySelector;
import java.net.http.HttpClient;
import javax.sql.DataSource;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;

/** One application with its locks in databases, in ZooKeeper and in etcd. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class StoresTest {

    private static void sells(
            ApplicationContextRunner application, Class<? extends LockBackend> backend, String... properties) {
        SellingShop.sells(
                application,
                context -> assertThat(context.getBean(LockBackend.class)).isInstanceOf(backend),
                properties);
    }

    private static ApplicationContextRunner withDataSource() {
        return redis().withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class))
                .withPropertyValues("boltwork.backend=jdbc");
    }

    @Test
    void h2IsTheApplicationsDatabase() {
        sells(withDataSource(), JdbcBackend.class, "spring.datasource.url=jdbc:h2:mem:shop");
        sells(
                withDataSource(),
                JdbcBackend.class,
                "spring.datasource.url=jdbc:h2:mem:named",
                "boltwork.jdbc.data-source=dataSource",
                "boltwork.jdbc.table-prefix=shop_",
                "boltwork.jdbc.poll-interval=20ms");
    }

    @Test
    void postgresqlIsTheApplicationsDatabase() {
        assumeTrue(PostgresServer.isInstalled(), "PostgreSQL is not installed");
        try (PostgresServer server = PostgresServer.start()) {
            sells(withDataSource(), JdbcBackend.class, "spring.datasource.url=" + server.uri());
        }
    }

    @Test
    void zooKeeperIsConnected() throws Exception {
        try (TestingServer server = new TestingServer()) {
            sells(
                    redis(),
                    ZooKeeperBackend.class,
                    "boltwork.backend=zookeeper",
                    "boltwork.zookeeper.connect-string=" + server.getConnectString());
        }
    }

    @Test
    void theApplicationsCuratorIsUsed() throws Exception {
        try (TestingServer server = new TestingServer()) {
            sells(
                    redis().withBean(CuratorFramework.class, () -> {
                        CuratorFramework curator =
                                CuratorFrameworkFactory.newClient(server.getConnectString(), new RetryOneTime(100));
                        curator.start();
                        return curator;
                    }),
                    ZooKeeperBackend.class,
                    "boltwork.backend=zookeeper");
        }
    }

    /** Its HTTP client, which reaches nothing, is not used. */
    @Test
    void etcdIsConnected() {
        assumeTrue(EtcdCluster.isInstalled(), "etcd is not installed");
        try (EtcdCluster cluster = EtcdCluster.start(1, "--unsafe-no-fsync")) {
            ApplicationContextRunner application = redis().withBean(
                            HttpClient.class,
                            () -> HttpClient.newBuilder()
                                    .proxy(ProxySelector.of(new InetSocketAddress("127.0.0.1", 1)))
                                    .build())
                    .withPropertyValues(
                            "boltwork.clients.orders.backend=etcd",
                            "boltwork.clients.orders.etcd.endpoints[0]=" + cluster.endpoint(0),
                            "boltwork.clients.orders.etcd.prefix=/orders");
            SellingShop.sells(
                    application,
                    context -> {
                        assertThat(context.getBean(LockBackend.class)).isInstanceOf(EtcdBackend.class);
                        LockClient orders = context.getBean("ordersLockClient", LockClient.class);
                        assertThat(context.getBean(LockClient.class)
                                        .lock("stock")
                                        .tryLock())
                                .isTrue();
                        assertThat(orders.lock("stock").tryLock())
                                .as("with another prefix")
                                .isTrue();
                    },
                    "boltwork.backend=etcd",
                    "boltwork.etcd.endpoints=" + cluster.endpoints());
        }
    }

    @Test
    void whatIsMissingIsNamed() {
        assertWrong(redis(), "boltwork.backend=jdbc", "spring.datasource.url");
        assertWrong(redis(), "boltwork.backend=zookeeper", "boltwork.zookeeper.connect-string");
        assertWrong(redis(), "boltwork.backend=etcd", "boltwork.etcd.endpoints");
    }

    @Test
    void wrongOptionsAreNamed() {
        ApplicationContextRunner h2 = withDataSource().withPropertyValues("spring.datasource.url=jdbc:h2:mem:wrong");
        assertWrong(h2, "boltwork.jdbc.table-prefix=a b", "prefix");
        assertWrong(h2, "boltwork.jdbc.timeout=1ms", "must be");
        assertWrong(h2, "boltwork.jdbc.connect-timeout=1ms", "must be");
        assertWrong(h2, "boltwork.jdbc.poll-interval=1h", "must be");
        assertWrong(h2, "boltwork.jdbc.data-source=other", "dataSource");
        ApplicationContextRunner zooKeeper = redis().withPropertyValues(
                        "boltwork.backend=zookeeper", "boltwork.zookeeper.connect-string=localhost:1");
        assertWrong(zooKeeper, "boltwork.zookeeper.root=relative", "must");
        assertWrong(zooKeeper, "boltwork.zookeeper.session-timeout=1ms", "must be");
        assertWrong(h2, "boltwork.jdbc.idle-life=1s", "must be");
        assertWrong(zooKeeper, "boltwork.zookeeper.connect-timeout=1ms", "must be");
        assertWrong(zooKeeper, "boltwork.zookeeper.timeout=1ms", "must be");
        assertWrong(zooKeeper, "boltwork.zookeeper.idle-life=1s", "must be");
        assertWrong(zooKeeper, "boltwork.zookeeper.trusted-certificates=missing.pem", "can be read");
        assertWrong(zooKeeper, "boltwork.zookeeper.client-certificate=missing.pem", "can be read");
        assertWrong(zooKeeper, "boltwork.zookeeper.username=shop", "boltwork.zookeeper.password");
        assertWrong(zooKeeper, "boltwork.zookeeper.password=secret", "boltwork.zookeeper.username");
    }

    @Test
    void wrongOptionsOfEtcdAreNamed() {
        ApplicationContextRunner etcd = redis().withPropertyValues("boltwork.backend=etcd");
        assertWrong(etcd, "boltwork.etcd.endpoints=host:2379", "such as 'http://host1:2379");
        assertWrong(etcd, "boltwork.etcd.endpoints=http://u:p@host:2379", "boltwork.etcd.username");
        ApplicationContextRunner plain = etcd.withPropertyValues("boltwork.etcd.endpoints=http://localhost:1");
        assertWrong(plain, "boltwork.etcd.prefix=/shop/", "without a slash at the end");
        assertWrong(plain, "boltwork.etcd.session-timeout=1s", "must be");
        assertWrong(plain, "boltwork.etcd.session-timeout=3500ms", "whole seconds");
        assertWrong(plain, "boltwork.etcd.connect-timeout=1ms", "must be");
        assertWrong(plain, "boltwork.etcd.timeout=1ms", "must be");
        assertWrong(plain, "boltwork.etcd.idle-life=1s", "must be");
        assertWrong(plain, "boltwork.etcd.clock-tolerance=2s", "must be");
        assertWrong(plain, "boltwork.etcd.trusted-certificates=missing.pem", "can be read");
        assertWrong(plain, "boltwork.etcd.client-certificate=missing.pem", "can be read");
        assertWrong(plain, "boltwork.etcd.trusted-certificates=pom.xml", "only with TLS");
        assertWrong(plain, "boltwork.etcd.client-certificate=pom.xml", "only with TLS");
        assertWrong(plain, "boltwork.etcd.username=shop", "boltwork.etcd.password");
        assertWrong(plain, "boltwork.etcd.password=secret", "boltwork.etcd.username");
    }

    @Test
    void aPoolThatIsTooSmallStopsTheStart() {
        ApplicationContextRunner small = withDataSource()
                .withPropertyValues(
                        "spring.datasource.url=jdbc:h2:mem:small", "spring.datasource.hikari.maximum-pool-size=2");
        assertPoolTooSmall(small);
        assertPoolTooSmall(small.withUserConfiguration(ProxiedDataSource.class));
    }

    private static void assertPoolTooSmall(ApplicationContextRunner application) {
        application.run(context -> assertThat(context)
                .getFailure()
                .hasStackTraceContaining("lends at most 2 connections")
                .hasStackTraceContaining("spring.datasource.hikari.maximum-pool-size"));
    }

    /**
     * Wraps the data source as applications do for transactions, and for connections that are made when they are used.
     */
    @Configuration(proxyBeanMethods = false)
    static class ProxiedDataSource {

        @Bean
        static BeanPostProcessor proxying() {
            return new BeanPostProcessor() {
                @Override
                public Object postProcessAfterInitialization(Object bean, String name) {
                    return bean instanceof DataSource source
                            ? new TransactionAwareDataSourceProxy(new LazyConnectionDataSourceProxy(source))
                            : bean;
                }
            };
        }
    }

    @Test
    void missingTablesThatAreNotMadeStopTheStart() {
        withDataSource()
                .withPropertyValues("spring.datasource.url=jdbc:h2:mem:empty", "boltwork.jdbc.create-tables=false")
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasStackTraceContaining("boltwork_")
                        .hasStackTraceContaining("withCreateTables(true)"));
    }
}
