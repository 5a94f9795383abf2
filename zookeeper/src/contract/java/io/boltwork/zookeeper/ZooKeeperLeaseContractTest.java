// SPDX-License-Identifier: Apache-2.0
package io.boltwork.zookeeper;

import io.boltwork.contract.LockSite;
import io.boltwork.contract.lock.LeaseContract;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Leases of locks on ZooKeeper keep the contract. */
@EnabledIfSystemProperty(named = "boltwork.proof", matches = "true", disabledReason = "minutes: -Dboltwork.proof=true")
class ZooKeeperLeaseContractTest extends LeaseContract {

    @Override
    protected LockSite site() {
        return ZooKeeperSite.shared();
    }
}
