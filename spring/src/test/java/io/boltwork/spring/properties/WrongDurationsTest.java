// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.properties;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.spring.autoconfigure.BoltworkAutoConfiguration;
import io.boltwork.spring.autoconfigure.StoreBackends;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.datasource.SimpleDriverDataSource;

/** No property accepts a negative duration, and only those accept zero for which it has a meaning. */
class WrongDurationsTest {

    /** The properties that the backend checks, which are not used with another backend. */
    private static final List<String> OF_BACKENDS =
            List.of("boltwork.jdbc.", "boltwork.zookeeper.", "boltwork.etcd.", "boltwork.lock.server.longest-lease");

    /** Zero means that there is no wait, no minimum, no delay, and so on. */
    private static final Set<String> MAY_BE_ZERO =
            Set.of("wait-for", "min-hold", "takeover-delay", "slice", "outage-patience", "shutdown-time");

    static Stream<String> durations() {
        Set<String> found = new TreeSet<>();
        collect(BoltworkProperties.class, "boltwork.", found);
        collect(BoltworkProperties.LockOverride.class, "boltwork.lock.names.stock.", found);
        assertThat(found)
                .contains("boltwork.outage-patience", "boltwork.jdbc.timeout", "boltwork.lock.names.stock.lease");
        return found.stream();
    }

    private static void collect(Class<?> type, String prefix, Set<String> found) {
        for (RecordComponent component : type.getRecordComponents()) {
            String name =
                    prefix + component.getName().replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
            if (component.getType() == Duration.class) {
                found.add(name);
            } else if (component.getType().isRecord()) {
                collect(component.getType(), name + ".", found);
            }
        }
    }

    static Stream<String> durationsOfAllBackends() {
        return durations().filter(name -> OF_BACKENDS.stream().noneMatch(name::startsWith));
    }

    @ParameterizedTest
    @MethodSource("durationsOfAllBackends")
    void negativeDurationIsRefused(String property) {
        assertWrong(property, "-5s");
        if (!MAY_BE_ZERO.contains(property.substring(property.lastIndexOf('.') + 1))) {
            assertWrong(property, "0s");
        }
    }

    private static void assertWrong(String property, String value) {
        Map<String, Object> properties = new HashMap<>();
        properties.put(property.replace("-within", ""), "1"); // how long to wait for one replica
        properties.put(property, value);
        Binder binder = new Binder(new MapConfigurationPropertySource(properties));
        assertThatThrownBy(() -> binder.bind("boltwork", Bindable.of(BoltworkProperties.class)))
                .rootCause()
                .isInstanceOfSatisfying(
                        InvalidConfigurationPropertyValueException.class,
                        wrong -> assertThat(wrong.getName()).isEqualTo(property));
    }

    @Test
    void negativeDurationOfABackendIsRefused() {
        durations()
                .filter(name -> OF_BACKENDS.stream().anyMatch(name::startsWith))
                .forEach(property -> {
                    String[] parts = property.split("\\.");
                    boolean quorum = parts[1].equals("lock");
                    new ApplicationContextRunner()
                            .withConfiguration(
                                    AutoConfigurations.of(BoltworkAutoConfiguration.class, StoreBackends.class))
                            .withBean(SimpleDriverDataSource.class)
                            .withPropertyValues(
                                    "boltwork.backend=" + (quorum ? "redis" : parts[1]),
                                    quorum
                                            ? "boltwork.lock.server.type=quorum"
                                            : "boltwork.zookeeper.connect-string=localhost:1",
                                    quorum
                                            ? "boltwork.lock.server.address=a:1,b:1,c:1"
                                            : "boltwork.etcd.endpoints=http://localhost:1",
                                    property + "=-5s")
                            .run(context -> assertThat(context.getStartupFailure())
                                    .as(property)
                                    .rootCause()
                                    .isInstanceOfSatisfying(
                                            InvalidConfigurationPropertyValueException.class,
                                            wrong -> assertThat(wrong.getName()).isEqualTo(property)));
                });
    }
}
