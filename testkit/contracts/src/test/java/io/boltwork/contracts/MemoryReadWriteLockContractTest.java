// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contracts;

import io.boltwork.testkit.LockSite;
import io.boltwork.testkit.ReadWriteLockContract;

/** Read-write locks in memory keep the contract. */
class MemoryReadWriteLockContractTest extends ReadWriteLockContract {

    @Override
    protected LockSite site() {
        return new MemorySite();
    }
}
