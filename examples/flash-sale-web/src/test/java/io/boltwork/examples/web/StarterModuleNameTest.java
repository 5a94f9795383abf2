// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.boltwork.annotation.DistributedLock;
import io.boltwork.spring.LockTemplate;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Tests the module names of the starter's jars, which exist only if Maven runs {@code package} or a later phase. */
class StarterModuleNameTest {

    @Test
    void jarsHaveTheirAutomaticModuleNames() throws Exception {
        check(LockTemplate.class, "io.boltwork.spring");
        check(DistributedLock.class, "io.boltwork.annotation");
    }

    private static void check(Class<?> inside, String name) throws Exception {
        Path jar = Path.of(
                inside.getProtectionDomain().getCodeSource().getLocation().toURI());
        assumeTrue(Files.isRegularFile(jar), "there is no jar yet");
        ModuleDescriptor module =
                ModuleFinder.of(jar).findAll().iterator().next().descriptor();
        assertThat(module.name()).isEqualTo(name);
        assertThat(module.isAutomatic()).isTrue();
    }
}
