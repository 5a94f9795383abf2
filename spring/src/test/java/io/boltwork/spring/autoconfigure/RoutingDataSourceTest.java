// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.autoconfigure;

import static io.boltwork.spring.TestApplication.assertUsable;
import static io.boltwork.spring.TestApplication.assertWrong;
import static io.boltwork.spring.TestApplication.redis;
import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.LockClient;
import java.util.Map;
import javax.sql.DataSource;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;

/** A DataSource that chooses the database by the caller stops the start, also behind wrappers. */
class RoutingDataSourceTest {

    private static DataSource routing() {
        AbstractRoutingDataSource routing = new AbstractRoutingDataSource() {
            @Override
            protected Object determineCurrentLookupKey() {
                return "one";
            }
        };
        routing.setTargetDataSources(Map.of("one", new DriverManagerDataSource("jdbc:h2:mem:routed")));
        routing.afterPropertiesSet();
        return routing;
    }

    private static DataSource wrapped(String wrapper) {
        return switch (wrapper) {
            case "lazy" -> new LazyConnectionDataSourceProxy(new TransactionAwareDataSourceProxy(routing()));
            case "proxy" -> (DataSource) new ProxyFactory(routing()).getProxy();
            default -> routing();
        };
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "lazy", "proxy"})
    void isRefused(String wrapper) {
        ApplicationContextRunner application = redis().withBean("tenants", DataSource.class, () -> wrapped(wrapper));
        assertWrong(
                application.withPropertyValues("boltwork.backend=jdbc"),
                "boltwork.jdbc.data-source=tenants",
                "It chooses the database by the caller");
        assertWrong(
                application.withPropertyValues("boltwork.backend=memory", "boltwork.clients.orders.backend=jdbc"),
                "boltwork.clients.orders.jdbc.data-source=tenants",
                "It chooses the database by the caller");
        application
                .withBean(
                        "locks",
                        DataSource.class,
                        () -> new DriverManagerDataSource("jdbc:h2:mem:one;DB_CLOSE_DELAY=9"))
                .withPropertyValues("boltwork.backend=jdbc", "boltwork.jdbc.data-source=locks")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertUsable(context.getBean(LockClient.class));
                });
    }
}
