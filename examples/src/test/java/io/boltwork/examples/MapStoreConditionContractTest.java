package io.boltwork.examples;

import io.boltwork.testkit.ConditionContract;
import io.boltwork.testkit.LockSite;

/** Conditions in a map with versions keep the contract. */
class MapStoreConditionContractTest extends ConditionContract {

    @Override
    protected LockSite site() {
        return new MapStoreSite();
    }
}
