// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract.condition;

import io.boltwork.contract.LockSite;
import io.boltwork.contract.lock.LockContract;
import org.junit.jupiter.api.Nested;

/**
 * The behavior that users may expect of the conditions of a lock with any backend, like {@link LockContract} of the
 * lock. Each backend has a test that extends this class.
 *
 * @since 0.1.0
 */
public abstract class ConditionContract {

    /** For tests of backends. */
    protected ConditionContract() {}

    /**
     * Returns the server to test with. It may be the same for all tests. The contract flushes it after each test.
     *
     * @return a running server
     */
    protected abstract LockSite site();

    @Nested
    class Signalling extends ConditionContractSignalling {
        Signalling() {
            super(ConditionContract.this.site());
        }
    }

    @Nested
    class Ending extends ConditionContractEnding {
        Ending() {
            super(ConditionContract.this.site());
        }
    }

    @Nested
    class Owners extends ConditionContractOwners {
        Owners() {
            super(ConditionContract.this.site());
        }
    }

    @Nested
    class BadDays extends ConditionContractBadDays {
        BadDays() {
            super(ConditionContract.this.site());
        }
    }
}
