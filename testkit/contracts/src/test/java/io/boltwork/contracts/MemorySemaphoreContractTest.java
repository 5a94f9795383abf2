// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contracts;

import io.boltwork.testkit.LockSite;
import io.boltwork.testkit.SemaphoreContract;

/** Semaphores in memory keep the contract. */
class MemorySemaphoreContractTest extends SemaphoreContract {

    @Override
    protected LockSite site() {
        return new MemorySite();
    }
}
