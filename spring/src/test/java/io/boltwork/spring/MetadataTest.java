// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Tests the metadata of properties that tools read. */
class MetadataTest {

    @Test
    void everyPropertyIsDescribedTestedAndDocumented() throws Exception {
        String docs = Files.readString(Path.of("..", "docs", "spring.md"));
        String tests;
        try (Stream<Path> all = Files.list(Path.of("src/test/java/io/boltwork/spring"))) {
            tests = all.filter(file -> !file.endsWith("MetadataTest.java"))
                    .map(MetadataTest::text)
                    .collect(Collectors.joining());
        }
        int count = 0;
        try (InputStream in = getClass().getResourceAsStream("/META-INF/spring-configuration-metadata.json")) {
            for (JsonNode property : JsonMapper.shared().readTree(in).get("properties")) {
                String name = property.get("name").asString();
                assertThat(property.path("description").asString("")).as(name).isNotBlank();
                if (name.startsWith("boltwork.")) {
                    assertThat(docs).as("docs/spring.md").contains("`" + name);
                    String last = name.substring(name.lastIndexOf('.'));
                    assertThat(tests.contains(name)
                                    || tests.contains(" + \"" + last.substring(1) + "=")
                                    || tests.contains(last + "="))
                            .as("tests that name " + name)
                            .isTrue();
                    count++;
                }
            }
        }
        assertThat(count).isGreaterThan(20);
    }

    private static String text(Path file) {
        try {
            return Files.isRegularFile(file) ? Files.readString(file) : "";
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
