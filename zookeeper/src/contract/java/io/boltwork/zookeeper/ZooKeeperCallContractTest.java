package io.boltwork.zookeeper;

import io.boltwork.testkit.CallContract;
import io.boltwork.testkit.LockSite;

/** Locks on ZooKeeper keep the Call contract. */
class ZooKeeperCallContractTest extends CallContract {

    @Override
    protected LockSite site() {
        return ZooKeeperSite.shared();
    }
}
