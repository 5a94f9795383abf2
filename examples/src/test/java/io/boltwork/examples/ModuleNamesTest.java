// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.boltwork.LockClient;
import io.boltwork.quorum.QuorumBackend;
import io.boltwork.redis.RedisBackend;
import io.boltwork.store.RecordBackend;
import io.boltwork.testkit.server.RedisServer;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Tests the module names of the jars, which exist only if Maven runs {@code package} or a later phase. */
class ModuleNamesTest {
    private static final Map<String, Class<?>> NAMES = Map.of(
            "io.boltwork.core", LockClient.class,
            "io.boltwork.quorum", QuorumBackend.class,
            "io.boltwork.store", RecordBackend.class,
            "io.boltwork.redis", RedisBackend.class,
            "io.boltwork.testkit", RedisServer.class);

    /** The modules that have a module-info. */
    private static final Set<String> NAMED = Set.of("io.boltwork.core", "io.boltwork.quorum", "io.boltwork.store");

    @TestFactory
    Stream<DynamicTest> eachJarHasItsModuleName() {
        return NAMES.entrySet().stream()
                .map(name -> DynamicTest.dynamicTest(name.getKey(), () -> check(name.getKey(), name.getValue())));
    }

    private static void check(String name, Class<?> inside) throws Exception {
        Path jar = Path.of(
                inside.getProtectionDomain().getCodeSource().getLocation().toURI());
        assumeTrue(Files.isRegularFile(jar), "there is no jar yet");
        ModuleDescriptor module =
                ModuleFinder.of(jar).findAll().iterator().next().descriptor();
        assertThat(module.name()).isEqualTo(name);
        assertThat(module.isAutomatic()).as("a module by its name alone").isEqualTo(!NAMED.contains(name));
    }
}
