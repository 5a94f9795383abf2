package io.boltwork.examples;

import io.boltwork.testkit.LockSite;
import io.boltwork.testkit.ReadWriteLockContract;

/** Read-write locks in a map with versions keep the contract. */
class MapStoreReadWriteLockContractTest extends ReadWriteLockContract {

    @Override
    protected LockSite site() {
        return new MapStoreSite();
    }
}
