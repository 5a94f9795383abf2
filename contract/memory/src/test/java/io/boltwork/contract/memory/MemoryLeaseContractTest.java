// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract.memory;

import io.boltwork.contract.LockSite;
import io.boltwork.contract.lock.LeaseContract;

/** Leases of locks in memory keep the contract. */
class MemoryLeaseContractTest extends LeaseContract {

    @Override
    protected LockSite site() {
        return new MemorySite();
    }
}
