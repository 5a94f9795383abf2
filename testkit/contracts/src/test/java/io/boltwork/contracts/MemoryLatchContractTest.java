// SPDX-License-Identifier: Apache-2.0
package io.boltwork.testkit;

/** Latches in memory keep the contract. */
class MemoryLatchContractTest extends LatchContract {

    @Override
    protected LockSite site() {
        return new MemorySite();
    }
}
