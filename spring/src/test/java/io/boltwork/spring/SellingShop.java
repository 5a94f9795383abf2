// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.annotation.DistributedLock;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ContextConsumer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** One application that is run on all deployments and stores: a shop whose sales are locked. */
public class SellingShop {

    @DistributedLock("'stock:' + #item")
    long sell(String item, Lease lease) {
        assertThat(lease.isValid()).isTrue();
        return lease.fencingToken();
    }

    @Configuration(proxyBeanMethods = false)
    static class Application {
        @Bean
        SellingShop shop() {
            return new SellingShop();
        }
    }

    /** Starts the application, sells, and checks that tokens grow. */
    public static void sells(
            ApplicationContextRunner runner, ContextConsumer<AssertableApplicationContext> more, String... properties) {
        runner.withUserConfiguration(Application.class)
                .withPropertyValues(properties)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    SellingShop shop = context.getBean(SellingShop.class);
                    long token = 0;
                    for (int i = 0; i < 10; i++) {
                        assertThat(shop.sell("item-" + i, null)).isPositive();
                        long next = shop.sell("item", null);
                        assertThat(next).isGreaterThan(token);
                        token = next;
                    }
                    assertThat(context.getBean(LockClient.class).health().connected())
                            .isTrue();
                    more.accept(context);
                });
    }
}
