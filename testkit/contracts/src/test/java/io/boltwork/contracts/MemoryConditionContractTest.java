// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contracts;

import io.boltwork.testkit.ConditionContract;
import io.boltwork.testkit.LockSite;

/** Conditions in memory keep the contract. */
class MemoryConditionContractTest extends ConditionContract {

    @Override
    protected LockSite site() {
        return new MemorySite();
    }
}
