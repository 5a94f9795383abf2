// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LeaseLostException;
import java.util.Iterator;

/** Works in steps under a lock, and stops when the lock is lost. */
final class StockImport {

    /** The destination of rows, which refuses a token smaller than the largest that it has seen. */
    @FunctionalInterface
    interface Store {
        void put(String row, long fencingToken) throws InterruptedException;
    }

    private final FencedLock lock;
    private final Store store;

    StockImport(FencedLock lock, Store store) {
        this.lock = lock;
        this.store = store;
    }

    /** Imports rows until the end, or until the lock is lost. Returns the number of imported rows. */
    int run(Iterator<String> rows) throws InterruptedException {
        int imported = 0;
        // @start region="steps"
        try (Lease lease = lock.acquireInterruptibly()) {
            while (rows.hasNext()) {
                lease.ensureValid(); // before each step: is the lock still held?
                store.put(rows.next(), lease.fencingToken());
                imported++;
            }
        } catch (LeaseLostException lost) {
            System.out.println("Stopped after " + imported + " rows: " + lost.getMessage());
        }
        // @end
        return imported;
    }
}
