// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract.memory;

import io.boltwork.contract.LockSite;
import io.boltwork.contract.condition.ConditionContract;

/** Conditions in memory keep the contract. */
class MemoryConditionContractTest extends ConditionContract {

    @Override
    protected LockSite site() {
        return new MemorySite();
    }
}
