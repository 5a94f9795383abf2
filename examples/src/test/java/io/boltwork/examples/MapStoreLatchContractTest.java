package io.boltwork.examples;

import io.boltwork.testkit.LatchContract;
import io.boltwork.testkit.LockSite;

/** Latches in a map with versions keep the contract. */
class MapStoreLatchContractTest extends LatchContract {

    @Override
    protected LockSite site() {
        return new MapStoreSite();
    }
}
