// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract.memory;

import io.boltwork.contract.LockSite;
import io.boltwork.contract.latch.LatchContract;

/** Latches in memory keep the contract. */
class MemoryLatchContractTest extends LatchContract {

    @Override
    protected LockSite site() {
        return new MemorySite();
    }
}
