// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import io.boltwork.LockClient;
import io.boltwork.LockOptions;
import io.boltwork.memory.MemoryBackend;
import io.boltwork.memory.MemoryServer;
import java.time.Duration;
import java.util.List;

/** Shows how an application tests its reaction to a lost lease, without Redis. */
final class LostLease {
    private LostLease() {}

    static int rowsImportedDuringAFreeze() throws InterruptedException {
        // @start region="lost-lease"
        // tests an import whose lease is lost in the middle
        MemoryServer server = MemoryServer.create();
        LockOptions shortLease = LockOptions.renewedLease(Duration.ofSeconds(1));
        try (LockClient locks = LockClient.create(MemoryBackend.on(server))) {
            StockImport imports = new StockImport(locks.lock("import", shortLease), (row, token) -> {
                if (row.equals("second")) {
                    server.freeze(); // or restart(), flush(), disconnect(..)
                    Thread.sleep(1_200); // longer than the lease: it cannot be renewed
                }
            });
            int imported = imports.run(List.of("first", "second", "third").iterator());
            server.thaw();
            return imported; // 2: the third row is left to the next holder of the lock
        }
        // @end
    }
}
