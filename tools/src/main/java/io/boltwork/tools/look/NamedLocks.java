// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.look;

import io.boltwork.BackendException;
import io.boltwork.LockClient;
import io.boltwork.LockInfo;
import io.boltwork.LockInspector;
import io.boltwork.LockKind;
import io.boltwork.LockSummary;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Finds the locks that have a name. One name may be that of a lock, a read-write lock, a semaphore and a latch. */
final class NamedLocks {
    private NamedLocks() {}

    /** Returns the locks with a name that are in use, of one kind or of all kinds. */
    static List<LockInfo> inUse(LockInspector inspector, @Nullable LockKind kind, String name) {
        return Arrays.stream(LockKind.values())
                .filter(each -> kind == null || kind == each)
                .map(each -> inspector.describe(each, name))
                .filter(NamedLocks::isInUse)
                .toList();
    }

    private static boolean isInUse(LockInfo lock) {
        return lock.state() != LockSummary.State.FREE || !lock.queue().isEmpty();
    }

    /** Returns the count of the latch with a name; 0 if there is none. */
    static int latch(LockClient locks, String name) {
        try {
            return locks.latch(name).count();
        } catch (UnsupportedOperationException quorum) {
            return 0;
        } catch (BackendException failed) {
            if (failed.isRetryable()) {
                throw failed;
            }
            return 0; // a bridge to Redisson has no latch with a name that it shares
        }
    }
}
