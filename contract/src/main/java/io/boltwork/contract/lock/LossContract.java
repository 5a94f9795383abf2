// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract.lock;

import io.boltwork.contract.LockSite;
import org.junit.jupiter.api.Nested;

/**
 * The part of {@link LockContract} about the loss of leases, about events, and about locks that a client retains.
 *
 * @since 0.1.0
 */
public abstract class LossContract {

    /** For tests of backends. */
    protected LossContract() {}

    /**
     * Returns the server to test with. It may be the same for all tests. The contract flushes it after each test.
     *
     * @return a running server
     */
    protected abstract LockSite site();

    @Nested
    class Losing extends LockContractLosing {
        Losing() {
            super(LossContract.this.site());
        }
    }

    @Nested
    class Verifying extends LockContractVerifying {
        Verifying() {
            super(LossContract.this.site());
        }
    }

    @Nested
    class Listening extends LockContractListening {
        Listening() {
            super(LossContract.this.site());
        }
    }

    @Nested
    class Retaining extends LockContractRetaining {
        Retaining() {
            super(LossContract.this.site());
        }
    }
}
