// SPDX-License-Identifier: Apache-2.0
package io.boltwork.micronaut.bean;

import io.boltwork.LockClient;
import io.boltwork.LockListener;
import io.boltwork.annotation.config.BoltworkConfig;
import io.micronaut.context.BeanContext;
import io.micronaut.context.annotation.Bean;
import io.micronaut.context.annotation.EachBean;
import io.micronaut.context.annotation.Factory;
import io.micronaut.context.annotation.Primary;
import io.micronaut.context.annotation.Requires;
import io.micronaut.context.env.Environment;
import jakarta.inject.Singleton;

/** Creates the clients of the settings, which are closed with the application. */
@Factory
final class ClientFactory {

    @Singleton
    BoltworkConfig config(Environment environment) {
        return new BoltworkConfig(new EnvironmentSettings(environment));
    }

    @Primary
    @Singleton
    @Bean(preDestroy = "close")
    @Requires(condition = NoOwnClient.class)
    LockClient primary(BoltworkConfig config, BeanContext beans) {
        return connect("", config, beans);
    }

    @Singleton
    @EachBean(FurtherClient.class)
    @Bean(preDestroy = "close")
    LockClient further(FurtherClient client, BoltworkConfig config, BeanContext beans) {
        return connect(client.name(), config, beans);
    }

    private static LockClient connect(String name, BoltworkConfig config, BeanContext beans) {
        if (!config.isEnabled()) {
            throw new IllegalStateException("There is no LockClient, because boltwork.enabled is false");
        }
        LockClient client = config.client(name).connect();
        beans.getBeansOfType(LockListener.class).forEach(client::addListener);
        return client;
    }
}
