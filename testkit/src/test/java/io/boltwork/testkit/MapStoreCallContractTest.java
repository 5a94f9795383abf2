package io.boltwork.testkit;

/** Calls of locks in a map with versions keep the contract. */
class MapStoreCallContractTest extends CallContract {

    @Override
    protected LockSite site() {
        return new MapStoreSite();
    }
}
