// SPDX-License-Identifier: Apache-2.0
package io.boltwork.cdi.bean;

import io.boltwork.LockClient;
import io.boltwork.annotation.config.BoltworkConfig;
import jakarta.enterprise.inject.Instance;
import jakarta.enterprise.inject.build.compatible.spi.Parameters;
import jakarta.enterprise.inject.build.compatible.spi.SyntheticBeanCreator;

/** Creates the clients of the settings. */
public final class ConfiguredClient implements SyntheticBeanCreator<LockClient> {
    static final String NAME = "client";

    @Override
    public LockClient create(Instance<Object> lookup, Parameters parameters) {
        BoltworkConfig config = MicroProfileSettings.current();
        if (!config.isEnabled()) {
            throw new IllegalStateException("There is no LockClient, because boltwork.enabled is false");
        }
        LockClient client = config.client(parameters.get(NAME, String.class)).connect();
        lookup.select(LockBeans.class).get().listeners().forEach(client::addListener);
        return client;
    }
}
