// SPDX-License-Identifier: Apache-2.0
package io.boltwork.zookeeper;

import io.boltwork.testkit.CallContract;
import io.boltwork.testkit.LockSite;
import io.boltwork.testkit.QuickParts;
import org.junit.jupiter.api.extension.ExtendWith;

/** Locks on ZooKeeper keep the Call contract. */
@ExtendWith(QuickParts.class)
class ZooKeeperCallContractTest extends CallContract {

    @Override
    protected LockSite site() {
        return ZooKeeperSite.shared();
    }
}
