// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import io.boltwork.FencedLock;
import io.boltwork.Lease;

/** Uses the hold as a value: each write passes its fencing token, and the holder is notified if the hold is lost. */
final class FencedWrite {

    /** A resource that refuses a token smaller than the largest that it has seen. */
    interface Storage {
        void write(String row, long token);

        void abort(String why);
    }

    private FencedWrite() {}

    static void write(FencedLock lock, Storage storage) {
        // @start region="lease"
        try (Lease lease = lock.acquire()) {
            lease.whenLost().thenAccept(loss -> storage.abort("lock lost: " + loss.reason()));
            storage.write("stock:1001", lease.fencingToken());
        }
        // @end
    }
}
