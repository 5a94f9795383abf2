// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract.lock;

import io.boltwork.contract.LockSite;
import org.junit.jupiter.api.Nested;

/**
 * The part of {@link LockContract} about leases: their length, renewal, bounds and owners.
 *
 * @since 0.1.0
 */
public abstract class LeaseContract {

    /** For tests of backends. */
    protected LeaseContract() {}

    /**
     * Returns the server to test with. It may be the same for all tests. The contract flushes it after each test.
     *
     * @return a running server
     */
    protected abstract LockSite site();

    @Nested
    class Leasing extends LockContractLeasing {
        Leasing() {
            super(LeaseContract.this.site());
        }
    }

    @Nested
    class Extending extends LockContractExtending {
        Extending() {
            super(LeaseContract.this.site());
        }
    }

    @Nested
    class Bounds extends LockContractBounds {
        Bounds() {
            super(LeaseContract.this.site());
        }
    }

    @Nested
    class Owners extends LockContractOwners {
        Owners() {
            super(LeaseContract.this.site());
        }
    }
}
