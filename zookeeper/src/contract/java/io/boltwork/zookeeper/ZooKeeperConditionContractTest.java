// SPDX-License-Identifier: Apache-2.0
package io.boltwork.zookeeper;

import io.boltwork.contract.LockSite;
import io.boltwork.contract.condition.ConditionContract;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Locks on ZooKeeper keep the Condition contract. */
@EnabledIfSystemProperty(named = "boltwork.proof", matches = "true", disabledReason = "minutes: -Dboltwork.proof=true")
class ZooKeeperConditionContractTest extends ConditionContract {

    @Override
    protected LockSite site() {
        return ZooKeeperSite.shared();
    }
}
