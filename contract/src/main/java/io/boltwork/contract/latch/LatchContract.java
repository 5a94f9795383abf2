// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract.latch;

import io.boltwork.contract.LockSite;
import io.boltwork.contract.lock.LockContract;
import org.junit.jupiter.api.Nested;

/**
 * The behavior that users may expect of a latch with any backend, like {@link LockContract} of a lock. Each backend has
 * a test that extends this class.
 *
 * @since 0.1.0
 */
public abstract class LatchContract {

    /** For tests of backends. */
    protected LatchContract() {}

    /**
     * Returns the server to test with. It may be the same for all tests. The contract flushes it after each test.
     *
     * @return a running server
     */
    protected abstract LockSite site();

    @Nested
    class Counting extends LatchContractCounting {
        Counting() {
            super(LatchContract.this.site());
        }
    }

    @Nested
    class Waiting extends LatchContractWaiting {
        Waiting() {
            super(LatchContract.this.site());
        }
    }

    @Nested
    class BadDays extends LatchContractBadDays {
        BadDays() {
            super(LatchContract.this.site());
        }
    }
}
