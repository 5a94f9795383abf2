// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.properties;

import static io.boltwork.spring.TestApplication.memory;
import static io.boltwork.spring.TestApplication.redis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.boltwork.annotation.DistributedLock;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.assertj.core.util.Throwables;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.util.ClassUtils;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Tests the metadata of properties that tools read. */
class MetadataTest {

    @Test
    void everyPropertyIsDescribedTestedAndDocumented() throws Exception {
        String docs = Files.readString(Path.of("..", "docs", "start", "spring.md"));
        String tests;
        try (Stream<Path> all = Files.walk(Path.of("src/test/java/io/boltwork/spring"))) {
            tests = all.filter(file -> !file.endsWith("MetadataTest.java"))
                    .map(MetadataTest::text)
                    .collect(Collectors.joining());
        }
        int count = 0;
        for (JsonNode property : metadata("properties")) {
            String name = property.get("name").asString();
            assertThat(property.path("description").asString("")).as(name).isNotBlank();
            if (name.startsWith("boltwork.")) {
                assertThat(docs).as("docs/start/spring.md").contains("`" + name);
                String last = name.substring(name.lastIndexOf('.'));
                assertThat(tests.contains(name)
                                || tests.contains(" + \"" + last.substring(1) + "=")
                                || tests.contains(last + "="))
                        .as("tests that name " + name)
                        .isTrue();
                count++;
            }
        }
        assertThat(count).isGreaterThan(20);
    }

    private static JsonNode metadata(String part) throws IOException {
        try (InputStream in = MetadataTest.class.getResourceAsStream("/META-INF/spring-configuration-metadata.json")) {
            return JsonMapper.shared().readTree(in).get(part);
        }
    }

    private static String text(Path file) {
        try {
            return Files.isRegularFile(file) ? Files.readString(file) : "";
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A bean whose lock allows each value except {@code fallback}. */
    public static class Till {
        @DistributedLock("stock")
        public String buy() {
            return "bought";
        }
    }

    /** A bean whose lock has a fallback. */
    public static class TillWithFallback {
        @DistributedLock(value = "stock", fallback = "busy")
        public String buy() {
            return "bought";
        }

        String busy() {
            return "busy";
        }
    }

    /** Returns each value that an editor offers for a property: the hints, and the constants of its type. */
    static Stream<Arguments> offered() throws Exception {
        Map<String, Set<String>> offered = new TreeMap<>();
        for (JsonNode property : metadata("properties")) {
            String name = property.get("name").asString();
            if (name.startsWith("management.")) { // values of Spring Boot
                continue;
            }
            Set<String> values = offered.computeIfAbsent(name, key -> new TreeSet<>());
            Class<?> type = ClassUtils.resolveClassName(
                    property.get("type").asString().replaceAll("<.*", ""), MetadataTest.class.getClassLoader());
            if (type.isEnum()) {
                Arrays.stream(type.getEnumConstants())
                        .map(each ->
                                ((Enum<?>) each).name().toLowerCase(Locale.ROOT).replace('_', '-'))
                        .forEach(values::add);
            }
        }
        for (JsonNode hint : metadata("hints")) {
            hint.path("values")
                    .forEach(value -> offered.get(hint.get("name").asString())
                            .add(value.get("value").asString()));
        }
        return offered.entrySet().stream()
                .flatMap(each -> each.getValue().stream().map(value -> Arguments.of(each.getKey(), value)));
    }

    @ParameterizedTest
    @MethodSource("offered")
    void noOfferedValueIsRejected(String property, String value) {
        assumeThat(Set.of("zookeeper", "etcd").contains(value) && !Boolean.getBoolean("boltwork.whole"))
                .as("waits for a server")
                .isFalse();
        application(property, value).withPropertyValues(property + "=" + value).run(context -> {
            if (context.getStartupFailure() != null) { // there is no server
                assertThat(Throwables.getStackTrace(context.getStartupFailure()))
                        .contains("BackendException")
                        .doesNotContain("BindException", "PropertyException", "PropertyValueException");
            }
        });
    }

    /** Returns an application in which a property may have this value. */
    private static ApplicationContextRunner application(String property, String value) {
        ApplicationContextRunner application = property.endsWith(".server.type") || property.equals("boltwork.backend")
                ? redis().withPropertyValues(
                                "boltwork.lock.server.address=127.0.0.1:1", "redisson.lock.server.address=127.0.0.1:1")
                : memory();
        return application
                .withUserConfiguration(value.equals("fallback") ? TillWithFallback.class : Till.class)
                .withBean(DataSource.class, () -> new SingleConnectionDataSource("jdbc:h2:mem:metadata", true))
                .withPropertyValues(
                        "boltwork.zookeeper.connect-string=127.0.0.1:1", "boltwork.etcd.endpoints=http://127.0.0.1:1")
                .withPropertyValues(
                        switch (property + "=" + value) {
                            case "boltwork.lock.replication=1", "boltwork.lock.replication=disk" ->
                                new String[] {"boltwork.lock.replication-within=1s"};
                            case "boltwork.lock.server.type=sentinel" -> new String[] {"boltwork.lock.server.master=m"};
                            case "redisson.lock.server.type=sentinel" ->
                                new String[] {"boltwork.lock.server.address=", "redisson.lock.server.master=m"};
                            case "boltwork.lock.server.type=quorum" ->
                                new String[] {"boltwork.lock.server.address=127.0.0.1:1,127.0.0.1:2,127.0.0.1:3"};
                            default -> new String[0];
                        });
    }

    @Test
    void noDefaultIsRejected() throws Exception {
        List<String> defaults = new ArrayList<>();
        for (JsonNode property : metadata("properties")) {
            String name = property.get("name").asString();
            JsonNode standard = property.path("defaultValue");
            if (!standard.isMissingNode() && !standard.isArray() && !name.startsWith("management.endpoint.")) {
                defaults.add(name + "=" + (name.equals("boltwork.backend") ? "memory" : standard.asString()));
            }
        }
        assertThat(defaults).contains("boltwork.lock.type=default", "management.health.locks.enabled=true");
        memory().withBean(Till.class)
                .withPropertyValues(defaults.toArray(String[]::new))
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void referencedBeansHaveExistingTypes() throws Exception {
        int references = 0;
        for (JsonNode hint : metadata("hints")) {
            for (JsonNode provider : hint.path("providers")) {
                JsonNode target = provider.path("parameters").path("target");
                if (!target.isMissingNode()) {
                    assertThat(ClassUtils.isPresent(target.asString(), null))
                            .as(target.asString())
                            .isTrue();
                    references++;
                }
            }
        }
        assertThat(references).as("one for each property that names a bean").isEqualTo(3);
    }
}
