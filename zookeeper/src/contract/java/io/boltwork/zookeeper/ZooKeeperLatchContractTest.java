// SPDX-License-Identifier: Apache-2.0
package io.boltwork.zookeeper;

import io.boltwork.testkit.LatchContract;
import io.boltwork.testkit.LockSite;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Locks on ZooKeeper keep the Latch contract. */
@EnabledIfSystemProperty(named = "boltwork.proof", matches = "true", disabledReason = "minutes: -Dboltwork.proof=true")
class ZooKeeperLatchContractTest extends LatchContract {

    @Override
    protected LockSite site() {
        return ZooKeeperSite.shared();
    }
}
