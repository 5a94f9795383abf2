// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract.lock;

import io.boltwork.contract.LockSite;
import org.junit.jupiter.api.Nested;

/**
 * The part of {@link LockContract} about outages: frozen and restarted servers, broken connections, lost replies.
 *
 * @since 0.1.0
 */
public abstract class OutageContract {

    /** For tests of backends. */
    protected OutageContract() {}

    /**
     * Returns the server to test with. It may be the same for all tests. The contract flushes it after each test.
     *
     * @return a running server
     */
    protected abstract LockSite site();

    @Nested
    class Frozen extends LockContractFrozen {
        Frozen() {
            super(OutageContract.this.site());
        }
    }

    @Nested
    class Unreliable extends LockContractUnreliable {
        Unreliable() {
            super(OutageContract.this.site());
        }
    }

    @Nested
    class BadDays extends LockContractBadDays {
        BadDays() {
            super(OutageContract.this.site());
        }
    }
}
