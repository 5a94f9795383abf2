package io.boltwork.testkit;

import org.junit.jupiter.api.Nested;

/**
 * The behavior that users may expect of a lock with any backend. Each backend has a test that extends this class. After
 * each test, the contract checks that nothing is left behind: at the server, no owner and no waiter of any lock that
 * was used, and no listener; in this JVM, no thread.
 *
 * <p>Tests that check durations allow for slow machines by {@link Slack}.
 */
public abstract class LockContract {

    /** For tests of backends. */
    protected LockContract() {}

    /**
     * Returns the server to test with. It may be the same for all tests. The contract flushes it after each test.
     *
     * @return a running server
     */
    protected abstract LockSite site();

    @Nested
    class Acquiring extends LockContractAcquiring {
        Acquiring() {
            super(LockContract.this.site());
        }
    }

    @Nested
    class Reentrancy extends LockContractReentrancy {
        Reentrancy() {
            super(LockContract.this.site());
        }
    }

    @Nested
    class Waiting extends LockContractWaiting {
        Waiting() {
            super(LockContract.this.site());
        }
    }

    @Nested
    class Interrupting extends LockContractInterrupting {
        Interrupting() {
            super(LockContract.this.site());
        }
    }

    @Nested
    class Leasing extends LockContractLeasing {
        Leasing() {
            super(LockContract.this.site());
        }
    }

    @Nested
    class Losing extends LockContractLosing {
        Losing() {
            super(LockContract.this.site());
        }
    }

    @Nested
    class Async extends LockContractAsync {
        Async() {
            super(LockContract.this.site());
        }
    }

    @Nested
    class Callbacks extends LockContractCallbacks {
        Callbacks() {
            super(LockContract.this.site());
        }
    }

    @Nested
    class Frozen extends LockContractFrozen {
        Frozen() {
            super(LockContract.this.site());
        }
    }

    @Nested
    class Unreliable extends LockContractUnreliable {
        Unreliable() {
            super(LockContract.this.site());
        }
    }

    @Nested
    class BadInput extends LockContractBadInput {
        BadInput() {
            super(LockContract.this.site());
        }
    }

    @Nested
    class Closing extends LockContractClosing {
        Closing() {
            super(LockContract.this.site());
        }
    }

    @Nested
    class Bounds extends LockContractBounds {
        Bounds() {
            super(LockContract.this.site());
        }
    }

    @Nested
    class Extending extends LockContractExtending {
        Extending() {
            super(LockContract.this.site());
        }
    }

    @Nested
    class Bodies extends LockContractBodies {
        Bodies() {
            super(LockContract.this.site());
        }
    }

    @Nested
    class Fairness extends LockContractFairness {
        Fairness() {
            super(LockContract.this.site());
        }
    }

    @Nested
    class Listening extends LockContractListening {
        Listening() {
            super(LockContract.this.site());
        }
    }

    @Nested
    class ListenerCalls extends LockContractListenerCalls {
        ListenerCalls() {
            super(LockContract.this.site());
        }
    }

    @Nested
    class Verifying extends LockContractVerifying {
        Verifying() {
            super(LockContract.this.site());
        }
    }

    @Nested
    class Inspecting extends LockContractInspecting {
        Inspecting() {
            super(LockContract.this.site());
        }
    }

    @Nested
    class BadDays extends LockContractBadDays {
        BadDays() {
            super(LockContract.this.site());
        }
    }

    @Nested
    class Owners extends LockContractOwners {
        Owners() {
            super(LockContract.this.site());
        }
    }
}
