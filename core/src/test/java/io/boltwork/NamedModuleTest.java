// SPDX-License-Identifier: Apache-2.0
package io.boltwork;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Core as a named module. */
class NamedModuleTest {

    @TempDir
    Path directory;

    private NamedModule module;

    @BeforeEach
    void require() throws IOException {
        module = new NamedModule(directory, "io.boltwork.core", LockClient.class);
    }

    @Test
    void aNamedModuleRequiresThisOne() throws Exception {
        assertThat(module.compile("Main", """
                package stock;

                import io.boltwork.Lease;
                import io.boltwork.LockClient;
                import io.boltwork.memory.MemoryBackend;

                public class Main {
                    public static void main(String[] args) {
                        try (LockClient client = LockClient.create(MemoryBackend.create());
                                Lease lease = client.lock("stock:42").acquire()) {
                            System.out.println(Main.class.getModule().getName() + " holds it: " + lease.isValid());
                        }
                    }
                }
                """)).isEmpty();
        assertThat(module.run("stock.Main")).isEqualTo("stock.service holds it: true");
    }

    @Test
    void roomsAreNotExported() throws Exception {
        assertThat(module.compile("Main", """
                package stock;

                class Main {
                    io.boltwork.machine.request.Hold hold;
                }
                """)).contains("package io.boltwork.machine.request is not visible");
    }

    /** A module that uses guards of databases needs no requirement of its own, and all others do without java.sql. */
    @Test
    void guardsBringTheModuleOfJdbc() throws Exception {
        assertThat(module.compile("Guarded", """
                package stock;

                class Guarded {
                    void check(java.sql.Connection connection) throws java.sql.SQLException {
                        io.boltwork.fence.JdbcFence.defaults().check(connection, "stock:42", 1);
                    }
                }
                """)).isEmpty();
    }
}
