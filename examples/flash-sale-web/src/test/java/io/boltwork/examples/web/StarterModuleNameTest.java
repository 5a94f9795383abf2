// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.boltwork.annotation.DistributedLock;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Tests the module name of the starter's jar, which exists only if Maven runs {@code package} or a later phase. */
class StarterModuleNameTest {

    @Test
    void jarHasItsAutomaticModuleName() throws Exception {
        Path jar = Path.of(DistributedLock.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        assumeTrue(Files.isRegularFile(jar), "there is no jar yet");
        ModuleDescriptor module =
                ModuleFinder.of(jar).findAll().iterator().next().descriptor();
        assertThat(module.name()).isEqualTo("io.boltwork.spring");
        assertThat(module.isAutomatic()).isTrue();
    }
}
