package io.boltwork.examples;

import io.boltwork.testkit.LockSite;
import io.boltwork.testkit.MultiLockContract;

/** Multi-locks in a map with versions keep the contract. */
class MapStoreMultiLockContractTest extends MultiLockContract {

    @Override
    protected LockSite site() {
        return new MapStoreSite();
    }
}
