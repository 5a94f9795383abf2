// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract.memory;

import io.boltwork.contract.LockSite;
import io.boltwork.contract.lock.CallContract;

/** Calls of locks in memory keep the contract. */
class MemoryCallContractTest extends CallContract {

    @Override
    protected LockSite site() {
        return new MemorySite();
    }
}
