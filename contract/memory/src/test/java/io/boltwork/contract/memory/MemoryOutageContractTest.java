// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract.memory;

import io.boltwork.contract.LockSite;
import io.boltwork.contract.lock.OutageContract;

/** Locks in memory keep the contract during outages. */
class MemoryOutageContractTest extends OutageContract {

    @Override
    protected LockSite site() {
        return new MemorySite();
    }
}
