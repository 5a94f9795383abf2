package io.boltwork.testkit;

/** Conditions in a map with versions keep the contract. */
class MapStoreConditionContractTest extends ConditionContract {

    @Override
    protected LockSite site() {
        return new MapStoreSite();
    }
}
