// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract.memory;

import io.boltwork.contract.LockSite;
import io.boltwork.contract.lock.LossContract;

/** Locks in memory keep the contract of losses. */
class MemoryLossContractTest extends LossContract {

    @Override
    protected LockSite site() {
        return new MemorySite();
    }
}
