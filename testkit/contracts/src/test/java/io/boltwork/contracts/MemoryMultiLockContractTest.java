// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contracts;

import io.boltwork.testkit.LockSite;
import io.boltwork.testkit.MultiLockContract;

/** Multi-locks in memory keep the contract. */
class MemoryMultiLockContractTest extends MultiLockContract {

    @Override
    protected LockSite site() {
        return new MemorySite();
    }
}
