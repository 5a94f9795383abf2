// SPDX-License-Identifier: Apache-2.0
package io.boltwork.cdi;

import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfigBuilder;
import jakarta.enterprise.inject.se.SeContainer;
import jakarta.enterprise.inject.se.SeContainerInitializer;
import jakarta.enterprise.inject.spi.Extension;
import java.lang.annotation.Annotation;
import java.util.HashMap;
import java.util.Map;
import org.eclipse.microprofile.config.Config;
import org.eclipse.microprofile.config.spi.ConfigProviderResolver;

/** An application on Weld with a few beans, and with settings of MicroProfile Config. */
final class Application implements AutoCloseable {
    private final SeContainer container;
    private final Config config;

    private Application(SeContainer container, Config config) {
        this.container = container;
        this.config = config;
    }

    /** Starts an application of these beans and portable extensions. */
    @SuppressWarnings("unchecked") // an array of one class
    static Application start(Map<String, String> settings, Class<?>... beans) {
        Config config = new SmallRyeConfigBuilder()
                .addDefaultInterceptors()
                .withSources(new PropertiesConfigSource(new HashMap<>(settings), "test", 100))
                .build();
        ClassLoader loader = Thread.currentThread().getContextClassLoader();
        ConfigProviderResolver.instance().registerConfig(config, loader);
        try {
            SeContainerInitializer initializer =
                    SeContainerInitializer.newInstance().disableDiscovery();
            for (Class<?> each : beans) {
                if (Extension.class.isAssignableFrom(each)) {
                    initializer.addExtensions(each.asSubclass(Extension.class));
                } else {
                    initializer.addBeanClasses(each);
                }
            }
            return new Application(initializer.initialize(), config);
        } catch (RuntimeException | Error failed) {
            ConfigProviderResolver.instance().releaseConfig(config);
            throw failed;
        }
    }

    <T> T get(Class<T> type, Annotation... qualifiers) {
        return container.select(type, qualifiers).get();
    }

    @Override
    public void close() {
        try {
            container.close();
        } finally {
            ConfigProviderResolver.instance().releaseConfig(config);
        }
    }
}
