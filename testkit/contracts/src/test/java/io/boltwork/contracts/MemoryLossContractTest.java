// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contracts;

import io.boltwork.testkit.LockSite;
import io.boltwork.testkit.LossContract;

/** Locks in memory keep the contract of losses. */
class MemoryLossContractTest extends LossContract {

    @Override
    protected LockSite site() {
        return new MemorySite();
    }
}
