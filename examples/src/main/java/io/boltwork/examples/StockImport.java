package io.boltwork.examples;

import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LeaseLostException;
import java.util.Iterator;

/** Work in steps under a lock, that stops when the lock is lost. */
final class StockImport {

    /** Where rows go: it refuses a token smaller than the largest it has seen. */
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

    /** Imports all rows, or as many as it could before the lock was lost; answers how many. */
    int run(Iterator<String> rows) throws InterruptedException {
        int imported = 0;
        // @start region="steps"
        try (Lease lease = lock.acquireInterruptibly()) {
            while (rows.hasNext()) {
                lease.ensureValid(); // before each step: is it still ours?
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
