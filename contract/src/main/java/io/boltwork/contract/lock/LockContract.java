// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract.lock;

import io.boltwork.contract.LockSite;
import io.boltwork.testkit.wait.Slack;
import org.junit.jupiter.api.Nested;

/**
 * The behavior that users may expect of a lock with any backend. Each backend has a test that extends this class. After
 * each test, the contract checks that nothing is left behind: at the server, no owner and no waiter of any lock that
 * was used, and no listener; in this JVM, no thread.
 *
 * <p>Most of its time, the contract waits. To run it faster, extend its parts instead, in four test classes, and let
 * the build run them in parallel JVMs: {@link CallContract}, {@link LeaseContract}, {@link LossContract} and
 * {@link OutageContract}.
 *
 * <p>Tests that check durations allow for slow machines by {@link Slack}.
 *
 * @since 0.1.0
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
    class Calls extends CallContract {
        @Override
        protected LockSite site() {
            return LockContract.this.site();
        }
    }

    @Nested
    class Leases extends LeaseContract {
        @Override
        protected LockSite site() {
            return LockContract.this.site();
        }
    }

    @Nested
    class Losses extends LossContract {
        @Override
        protected LockSite site() {
            return LockContract.this.site();
        }
    }

    @Nested
    class Outages extends OutageContract {
        @Override
        protected LockSite site() {
            return LockContract.this.site();
        }
    }
}
