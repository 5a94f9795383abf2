package io.boltwork.examples;

import io.boltwork.testkit.LockSite;
import io.boltwork.testkit.SemaphoreContract;

/** Semaphores in a map with versions keep the contract. */
class MapStoreSemaphoreContractTest extends SemaphoreContract {

    @Override
    protected LockSite site() {
        return new MapStoreSite();
    }
}
