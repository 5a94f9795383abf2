package io.boltwork.examples;

import io.boltwork.testkit.CallContract;
import io.boltwork.testkit.LockSite;

/** Calls of locks in a map with versions keep the contract. */
class MapStoreCallContractTest extends CallContract {

    @Override
    protected LockSite site() {
        return new MapStoreSite();
    }
}
