// SPDX-License-Identifier: Apache-2.0
package io.boltwork.cdi.bean;

import io.boltwork.annotation.config.BoltworkConfig;
import io.boltwork.annotation.config.Settings;
import org.eclipse.microprofile.config.Config;
import org.eclipse.microprofile.config.ConfigProvider;
import org.jspecify.annotations.Nullable;

/**
 * The settings of MicroProfile Config.
 *
 * @param config all settings
 */
record MicroProfileSettings(Config config) implements Settings {

    /** Returns the settings that apply to the code of this thread. */
    static BoltworkConfig current() {
        return new BoltworkConfig(new MicroProfileSettings(ConfigProvider.getConfig()));
    }

    @Override
    public @Nullable String find(String name) {
        return config.getOptionalValue(name, String.class).orElse(null);
    }

    @Override
    public Iterable<String> names() {
        return config.getPropertyNames();
    }

    @Override
    public String application() {
        return "quarkus.application.name";
    }
}
