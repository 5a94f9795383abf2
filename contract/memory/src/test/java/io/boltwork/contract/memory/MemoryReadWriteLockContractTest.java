// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract.memory;

import io.boltwork.contract.LockSite;
import io.boltwork.contract.readwrite.ReadWriteLockContract;

/** Read-write locks in memory keep the contract. */
class MemoryReadWriteLockContractTest extends ReadWriteLockContract {

    @Override
    protected LockSite site() {
        return new MemorySite();
    }
}
