// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract.readwrite;

import io.boltwork.contract.LockSite;
import io.boltwork.contract.lock.LockContract;
import org.junit.jupiter.api.Nested;

/**
 * The behavior that users may expect of a read-write lock with any backend, like {@link LockContract} of a lock. Each
 * backend has a test that extends this class.
 *
 * @since 0.1.0
 */
public abstract class ReadWriteLockContract {

    /** For tests of backends. */
    protected ReadWriteLockContract() {}

    /**
     * Returns the server to test with. It may be the same for all tests. The contract flushes it after each test.
     *
     * @return a running server
     */
    protected abstract LockSite site();

    @Nested
    class Sharing extends ReadWriteLockContractSharing {
        Sharing() {
            super(ReadWriteLockContract.this.site());
        }
    }

    @Nested
    class Owners extends ReadWriteLockContractOwners {
        Owners() {
            super(ReadWriteLockContract.this.site());
        }
    }

    @Nested
    class Turns extends ReadWriteLockContractTurns {
        Turns() {
            super(ReadWriteLockContract.this.site());
        }
    }

    @Nested
    class Inspecting extends ReadWriteLockContractInspecting {
        Inspecting() {
            super(ReadWriteLockContract.this.site());
        }
    }

    @Nested
    class BadDays extends ReadWriteLockContractBadDays {
        BadDays() {
            super(ReadWriteLockContract.this.site());
        }
    }
}
