// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contracts;

import io.boltwork.testkit.LeaseContract;
import io.boltwork.testkit.LockSite;

/** Leases of locks in memory keep the contract. */
class MemoryLeaseContractTest extends LeaseContract {

    @Override
    protected LockSite site() {
        return new MemorySite();
    }
}
