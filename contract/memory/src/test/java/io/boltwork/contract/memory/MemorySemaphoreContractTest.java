// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract.memory;

import io.boltwork.contract.LockSite;
import io.boltwork.contract.semaphore.SemaphoreContract;

/** Semaphores in memory keep the contract. */
class MemorySemaphoreContractTest extends SemaphoreContract {

    @Override
    protected LockSite site() {
        return new MemorySite();
    }
}
