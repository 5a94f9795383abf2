// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract.multi;

import io.boltwork.contract.LockSite;
import io.boltwork.contract.lock.LockContract;
import org.junit.jupiter.api.Nested;

/**
 * The behavior that users may expect of a multi-lock with any backend, like {@link LockContract} of a lock. Each
 * backend has a test that extends this class.
 *
 * @since 0.1.0
 */
public abstract class MultiLockContract {

    /** For tests of backends. */
    protected MultiLockContract() {}

    /**
     * Returns the server to test with. It may be the same for all tests. The contract flushes it after each test.
     *
     * @return a running server
     */
    protected abstract LockSite site();

    @Nested
    class Owners extends MultiLockContractOwners {
        Owners() {
            super(MultiLockContract.this.site());
        }
    }

    @Nested
    class Leasing extends MultiLockContractLeasing {
        Leasing() {
            super(MultiLockContract.this.site());
        }
    }

    @Nested
    class Waiting extends MultiLockContractWaiting {
        Waiting() {
            super(MultiLockContract.this.site());
        }
    }

    @Nested
    class BadDays extends MultiLockContractBadDays {
        BadDays() {
            super(MultiLockContract.this.site());
        }
    }
}
