// SPDX-License-Identifier: Apache-2.0
package io.boltwork;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.store.RecordBackend;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Stores as a named module, which brings core. */
class NamedModuleTest {

    @TempDir
    Path directory;

    @Test
    void aNamedModuleRequiresThisOneOnly() throws Exception {
        NamedModule module = new NamedModule(directory, "io.boltwork.store", LockClient.class, RecordBackend.class);
        assertThat(module.compile("Main", """
                package stock;

                import io.boltwork.LockClient;
                import io.boltwork.store.RecordBackend;
                import io.boltwork.store.RecordStore;

                public class Main {
                    static LockClient client(RecordStore store) {
                        return LockClient.create(RecordBackend.on(store));
                    }

                    public static void main(String[] args) {
                        Module used = RecordBackend.class.getModule();
                        System.out.println(Main.class.getModule().getName() + " uses " + used);
                    }
                }
                """)).isEmpty();
        assertThat(module.run("stock.Main")).isEqualTo("stock.service uses module io.boltwork.store");
    }
}
