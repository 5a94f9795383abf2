// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract.semaphore;

import io.boltwork.contract.LockSite;
import io.boltwork.contract.lock.LockContract;
import org.junit.jupiter.api.Nested;

/**
 * The behavior that users may expect of a semaphore with any backend, like {@link LockContract} of a lock. Each backend
 * has a test that extends this class.
 *
 * @since 0.1.0
 */
public abstract class SemaphoreContract {

    /** For tests of backends. */
    protected SemaphoreContract() {}

    /**
     * Returns the server to test with. It may be the same for all tests. The contract flushes it after each test.
     *
     * @return a running server
     */
    protected abstract LockSite site();

    @Nested
    class Permits extends SemaphoreContractPermits {
        Permits() {
            super(SemaphoreContract.this.site());
        }
    }

    @Nested
    class Async extends SemaphoreContractAsync {
        Async() {
            super(SemaphoreContract.this.site());
        }
    }

    @Nested
    class Inspecting extends SemaphoreContractInspecting {
        Inspecting() {
            super(SemaphoreContract.this.site());
        }
    }

    @Nested
    class BadDays extends SemaphoreContractBadDays {
        BadDays() {
            super(SemaphoreContract.this.site());
        }
    }
}
