package io.boltwork.examples;

import io.boltwork.testkit.LockSite;
import io.boltwork.testkit.OutageContract;

/** Locks in outages in a map with versions keep the contract. */
class MapStoreOutageContractTest extends OutageContract {

    @Override
    protected LockSite site() {
        return new MapStoreSite();
    }
}
