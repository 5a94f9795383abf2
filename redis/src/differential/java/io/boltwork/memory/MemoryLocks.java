// SPDX-License-Identifier: Apache-2.0
package io.boltwork.memory;

import io.boltwork.spi.rules.LockRecord;

/** Reads the records of a server in memory. */
public final class MemoryLocks {

    private MemoryLocks() {}

    /** Returns a copy of the record of a lock. */
    public static LockRecord record(MemoryServer server, String lock) {
        return server.replica().data().locks.get(lock, server.time().millis());
    }
}
