// SPDX-License-Identifier: Apache-2.0
package io.boltwork.testkit;

/** Multi-locks in memory keep the contract. */
class MemoryMultiLockContractTest extends MultiLockContract {

    @Override
    protected LockSite site() {
        return new MemorySite();
    }
}
