// SPDX-License-Identifier: Apache-2.0
package io.boltwork;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.quorum.QuorumBackend;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Quorums as a named module, which brings core. */
class NamedModuleTest {

    @TempDir
    Path directory;

    @Test
    void aNamedModuleRequiresThisOneOnly() throws Exception {
        NamedModule module = new NamedModule(directory, "io.boltwork.quorum", LockClient.class, QuorumBackend.class);
        assertThat(module.compile("Main", """
                package stock;

                import io.boltwork.LockClient;
                import io.boltwork.memory.MemoryBackend;
                import io.boltwork.quorum.QuorumBackend;
                import java.util.List;
                import java.util.stream.Stream;

                public class Main {
                    public static void main(String[] args) {
                        List<MemoryBackend> three = Stream.generate(MemoryBackend::create).limit(3).toList();
                        LockClient.create(QuorumBackend.of(three)).close();
                        Module used = QuorumBackend.class.getModule();
                        System.out.println(Main.class.getModule().getName() + " uses " + used);
                    }
                }
                """)).isEmpty();
        assertThat(module.run("stock.Main")).isEqualTo("stock.service uses module io.boltwork.quorum");
    }
}
