// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.spring.autoconfigure.BoltworkActuatorAutoConfiguration;
import io.boltwork.spring.autoconfigure.BoltworkAutoConfiguration;
import io.boltwork.spring.autoconfigure.BoltworkIntegrationAutoConfiguration;
import io.boltwork.spring.autoconfigure.DistributedLockAutoConfiguration;
import io.boltwork.spring.properties.WrongPropertyException;
import java.util.concurrent.TimeUnit;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.health.autoconfigure.registry.HealthContributorRegistryAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Applications with only the auto-configured beans. */
public final class TestApplication {
    private TestApplication() {}

    /** Returns an application with Redis as its backend. */
    public static ApplicationContextRunner redis() {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        SslAutoConfiguration.class,
                        DataRedisAutoConfiguration.class,
                        HealthContributorRegistryAutoConfiguration.class,
                        BoltworkAutoConfiguration.class,
                        DistributedLockAutoConfiguration.class,
                        BoltworkActuatorAutoConfiguration.class,
                        BoltworkIntegrationAutoConfiguration.class));
    }

    public static ApplicationContextRunner memory() {
        return redis().withPropertyValues("boltwork.backend=memory");
    }

    public static void assertUsable(LockClient client) {
        try (Lease lease = client.lock("usable").acquire()) {
            assertThat(lease.isValid()).isTrue();
            assertThat(client.lock("usable").isLocked()).isTrue();
        }
    }

    /** Acquires a lock without a holding thread, so that the caller's thread is refused too. */
    public static Lease elsewhere(LockClient locks, String name) throws Exception {
        return locks.lock(name).acquireAsync().toCompletableFuture().get(5, TimeUnit.SECONDS);
    }

    /** Checks that the application does not start, and that the failure names the property and the reason. */
    public static void assertWrong(ApplicationContextRunner application, String setting, String why) {
        String property = setting.substring(0, setting.indexOf('='));
        application.withPropertyValues(setting).run(context -> {
            assertThat(context).hasFailed();
            Throwable named = context.getStartupFailure();
            while (named != null && !names(named, property)) {
                named = named.getCause();
            }
            assertThat(named).as("the failure that names " + property).isNotNull();
            Throwable root = named;
            while (root.getCause() != null) {
                root = root.getCause();
            }
            assertThat(named.getMessage() + root.getMessage()).contains(why);
        });
    }

    private static boolean names(Throwable failure, String property) {
        return (failure instanceof WrongPropertyException wrong
                        && wrong.property().equals(property))
                || (failure instanceof InvalidConfigurationPropertyValueException invalid
                        && invalid.getName().equals(property))
                || (failure instanceof BindException bind
                        && bind.getProperty() != null
                        && bind.getProperty().getName().toString().equals(property));
    }
}
