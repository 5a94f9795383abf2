// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.docs;

import static io.boltwork.spring.TestApplication.elsewhere;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.annotation.LockRefusedException;
import io.boltwork.testkit.server.RedisServer;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** The clients, the naming and the refusal that docs/start/spring.md shows. */
class ClientsTest {

    @Test
    void locksOfAnotherClientAreIndependent() throws Exception {
        try (RedisServer main = RedisServer.start();
                RedisServer orders = RedisServer.start();
                ConfigurableApplicationContext application = start(
                        Orders.class,
                        "clients",
                        "MAIN_REDIS=" + main.uri(),
                        "ORDERS_REDIS=" + orders.uri(),
                        "boltwork.clients.orders.lock.wait-for=0s")) {
            Orders shop = application.getBean(Orders.class);
            try (Lease lease = elsewhere(application.getBean(LockClient.class), "order:7")) {
                assertThat(lease.isValid()).isTrue();
                assertThat(shop.ship(7)).isEqualTo("shipped 7");
                assertThat(shop.pack(7)).isEqualTo("packed 7");
            }
            try (Lease lease = elsewhere(application.getBean("ordersLockClient", LockClient.class), "order:7")) {
                assertThat(lease.isValid()).isTrue();
                assertThatExceptionOfType(LockRefusedException.class).isThrownBy(() -> shop.ship(7));
                assertThatExceptionOfType(LockRefusedException.class).isThrownBy(() -> shop.pack(7));
            }
            LockClient audit = application.getBean("auditLockClient", LockClient.class);
            assertThat(audit.health().nodes().get(0).address()).contains("h2");
        }
    }

    @Test
    void tenantsDoNotShareLocksAndRefusalsAreOfOneType() throws Exception {
        try (ConfigurableApplicationContext application =
                start(Tenancy.class, "actuator", "boltwork.backend=memory", "boltwork.lock.names.stock.wait-for=0s")) {
            Purchases purchases = application.getBean(Purchases.class);
            try (Lease lease = elsewhere(application.getBean(LockClient.class), "acme:stock:1")) {
                assertThat(lease.isValid()).isTrue();
                assertThatExceptionOfType(Tenancy.BusyException.class)
                        .isThrownBy(() -> purchases.buy("1"))
                        .withMessage("buy is already running");
                Tenancy.Tenant.CURRENT.set("other");
                assertThat(purchases.buy("1")).isTrue();
            } finally {
                Tenancy.Tenant.CURRENT.remove();
            }
        }
    }

    private static ConfigurableApplicationContext start(Class<?> example, String file, String... properties) {
        return new SpringApplicationBuilder(ShopApplication.class, example)
                .web(WebApplicationType.NONE)
                .properties("spring.config.location=classpath:docs/", "spring.config.name=" + file)
                .properties("spring.main.banner-mode=off", "spring.datasource.url=jdbc:h2:mem:clients-in-docs")
                .properties(properties)
                .run();
    }
}
