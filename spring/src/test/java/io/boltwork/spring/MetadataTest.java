package io.boltwork.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What tools read: metadata of properties, hints for native images. */
class MetadataTest {

    @Test
    void everyPropertyHasADescription() throws Exception {
        Set<String> names = new HashSet<>();
        try (InputStream in = getClass().getResourceAsStream("/META-INF/spring-configuration-metadata.json")) {
            JsonNode all = JsonMapper.shared().readTree(in).get("properties");
            for (JsonNode property : all) {
                names.add(property.get("name").asString());
                assertThat(property.path("description").asString(""))
                        .as(property.get("name").asString())
                        .isNotBlank();
            }
        }
        assertThat(names)
                .containsAll(List.of(
                        "boltwork.enabled",
                        "boltwork.backend",
                        "boltwork.application",
                        "boltwork.outage-patience",
                        "boltwork.shutdown-time",
                        "boltwork.slice",
                        "boltwork.redis.uri",
                        "boltwork.redis.key-prefix",
                        "boltwork.redis.timeout",
                        "boltwork.redis.ssl-bundle",
                        "boltwork.lock.enabled",
                        "boltwork.lock.prefix",
                        "boltwork.lock.order",
                        "boltwork.lock.names",
                        "boltwork.lock.server.type",
                        "boltwork.lock.server.address",
                        "boltwork.lock.server.password",
                        "boltwork.lock.server.database",
                        "boltwork.metrics.max-groups",
                        "redisson.lock.server.address"));
    }

    @Test
    void nativeImagesHaveTheScriptsAndWhatExpressionsLookAt() {
        RuntimeHints hints = new RuntimeHints();
        new BoltworkRuntimeHints().registerHints(hints, getClass().getClassLoader());
        assertThat(RuntimeHintsPredicates.resource().forResource("io/boltwork/redis/acquire.lua"))
                .accepts(hints);
        assertThat(RuntimeHintsPredicates.resource().forResource("io/boltwork/redis/include/time.lua"))
                .accepts(hints);
        assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(LockExpressionRoot.class, "getArgs"))
                .accepts(hints);
    }
}
