// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract.memory;

import io.boltwork.contract.LockSite;
import io.boltwork.contract.multi.MultiLockContract;

/** Multi-locks in memory keep the contract. */
class MemoryMultiLockContractTest extends MultiLockContract {

    @Override
    protected LockSite site() {
        return new MemorySite();
    }
}
