// SPDX-License-Identifier: Apache-2.0
package io.boltwork.zookeeper;

import io.boltwork.testkit.LeaseContract;
import io.boltwork.testkit.LockSite;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Leases of locks on ZooKeeper keep the contract. */
@EnabledIfSystemProperty(named = "boltwork.proof", matches = "true", disabledReason = "minutes: -Dboltwork.proof=true")
class ZooKeeperLeaseContractTest extends LeaseContract {

    @Override
    protected LockSite site() {
        return ZooKeeperSite.shared();
    }
}
