// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract.lock;

import io.boltwork.contract.LockSite;
import org.junit.jupiter.api.Nested;

/**
 * The part of {@link LockContract} about calls: acquiring, awaiting, releasing and inspecting locks while the server
 * answers.
 *
 * @since 0.1.0
 */
public abstract class CallContract {

    /** For tests of backends. */
    protected CallContract() {}

    /**
     * Returns the server to test with. It may be the same for all tests. The contract flushes it after each test.
     *
     * @return a running server
     */
    protected abstract LockSite site();

    @Nested
    class Acquiring extends LockContractAcquiring {
        Acquiring() {
            super(CallContract.this.site());
        }
    }

    @Nested
    class Reentrancy extends LockContractReentrancy {
        Reentrancy() {
            super(CallContract.this.site());
        }
    }

    @Nested
    class Waiting extends LockContractWaiting {
        Waiting() {
            super(CallContract.this.site());
        }
    }

    @Nested
    class Interrupting extends LockContractInterrupting {
        Interrupting() {
            super(CallContract.this.site());
        }
    }

    @Nested
    class Fairness extends LockContractFairness {
        Fairness() {
            super(CallContract.this.site());
        }
    }

    @Nested
    class Async extends LockContractAsync {
        Async() {
            super(CallContract.this.site());
        }
    }

    @Nested
    class Callbacks extends LockContractCallbacks {
        Callbacks() {
            super(CallContract.this.site());
        }
    }

    @Nested
    class Bodies extends LockContractBodies {
        Bodies() {
            super(CallContract.this.site());
        }
    }

    @Nested
    class Times extends LockContractTimes {
        Times() {
            super(CallContract.this.site());
        }
    }

    @Nested
    class BadInput extends LockContractBadInput {
        BadInput() {
            super(CallContract.this.site());
        }
    }

    @Nested
    class Inspecting extends LockContractInspecting {
        Inspecting() {
            super(CallContract.this.site());
        }
    }

    @Nested
    class Closing extends LockContractClosing {
        Closing() {
            super(CallContract.this.site());
        }
    }
}
