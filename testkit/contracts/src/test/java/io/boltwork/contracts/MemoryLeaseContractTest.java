// SPDX-License-Identifier: Apache-2.0
package io.boltwork.testkit;

/** Leases of locks in memory keep the contract. */
class MemoryLeaseContractTest extends LeaseContract {

    @Override
    protected LockSite site() {
        return new MemorySite();
    }
}
