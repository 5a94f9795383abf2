// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.properties;

import static io.boltwork.spring.TestApplication.assertWrong;
import static io.boltwork.spring.TestApplication.memory;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.core.env.MapPropertySource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Durations in properties must have a unit. */
class DurationUnitsTest {

    /** Returns each property that is a duration according to the metadata, and those of a group. */
    static List<String> durations() throws Exception {
        List<String> names = new ArrayList<>();
        try (InputStream in =
                DurationUnitsTest.class.getResourceAsStream("/META-INF/spring-configuration-metadata.json")) {
            for (JsonNode property : JsonMapper.shared().readTree(in).get("properties")) {
                String name = property.get("name").asString();
                if (name.startsWith("boltwork.")
                        && property.path("type").asString("").equals(Duration.class.getName())) {
                    names.add(name);
                }
            }
        }
        Arrays.stream(BoltworkProperties.LockOverride.class.getRecordComponents())
                .filter(component -> component.getType() == Duration.class)
                .map(RecordComponent::getName)
                .map(name -> "boltwork.lock.names.stock."
                        + name.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT))
                .forEach(names::add);
        return names;
    }

    @ParameterizedTest
    @MethodSource("durations")
    void numberWithoutAUnitIsRefused(String property) {
        assertWrong(memory(), property + "=61", "Write 61s for seconds or 61ms");
        assertWrong(memory(), property + "=0", "Write 0s");
    }

    @Test
    void manyPropertiesAreDurations() throws Exception {
        assertThat(durations())
                .contains("boltwork.slice", "boltwork.redis.timeout", "boltwork.lock.names.stock.wait-for")
                .hasSizeGreaterThan(8);
    }

    @Test
    void numberInYamlIsRefused() {
        memory().withInitializer(context -> context.getEnvironment()
                        .getPropertySources()
                        .addFirst(new MapPropertySource("yaml", Map.of("boltwork.outage-patience", 5))))
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasStackTraceContaining("Property boltwork.outage-patience with value '5' is invalid")
                        .hasStackTraceContaining("Write 5s"));
    }

    @Test
    void placeholdersAreResolvedBeforeTheCheck() {
        assertWrong(memory().withPropertyValues("patience= 7 "), "boltwork.outage-patience=${patience}", "Write 7s");
    }

    @Test
    void durationsWithAUnitAreReadInBothStyles() {
        for (String text : List.of("7s", "PT7S", "7000ms")) {
            memory().withPropertyValues("boltwork.outage-patience=" + text)
                    .run(context -> assertThat(
                                    context.getBean(BoltworkProperties.class).outagePatience())
                            .isEqualTo(Duration.ofSeconds(7)));
        }
    }

    /** The properties of Spring Boot and of the application keep their meaning. */
    @Test
    void foreignPropertiesAreNotChecked() {
        memory().withPropertyValues("spring.data.redis.timeout=5")
                .run(context -> assertThat(context).hasNotFailed());
    }
}
