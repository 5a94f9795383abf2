package io.boltwork.examples;

import io.boltwork.testkit.LeaseContract;
import io.boltwork.testkit.LockSite;

/** Leases of locks in a map with versions keep the contract. */
class MapStoreLeaseContractTest extends LeaseContract {

    @Override
    protected LockSite site() {
        return new MapStoreSite();
    }
}
