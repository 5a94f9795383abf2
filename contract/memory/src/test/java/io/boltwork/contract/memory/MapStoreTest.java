// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract.memory;

import io.boltwork.contract.MapStore;
import io.boltwork.contract.RecordStoreContract;
import io.boltwork.store.RecordStore;

/** A map with versions keeps the promises of a store. */
class MapStoreTest extends RecordStoreContract {
    private final MapStore.Shared shared = new MapStore.Shared();

    @Override
    protected RecordStore newStore() {
        return new MapStore(shared);
    }
}
