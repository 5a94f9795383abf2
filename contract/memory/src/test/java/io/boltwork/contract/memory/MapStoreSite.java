// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract.memory;

import io.boltwork.contract.FaultyStore;
import io.boltwork.contract.LockSite;
import io.boltwork.contract.MapStore;
import io.boltwork.spi.LockBackend;
import io.boltwork.store.RecordBackend;

/** A map with versions, and faults between it and its clients. */
final class MapStoreSite implements LockSite {
    private final MapStore.Shared shared = new MapStore.Shared();
    private final FaultyStore.StoreFaults faults = new FaultyStore.StoreFaults();

    @Override
    public LockBackend newBackend() {
        return RecordBackend.on(new FaultyStore(new MapStore(shared), faults));
    }

    @Override
    public void flush() {
        shared.clear();
    }

    @Override
    public void deleteLock(String name) {
        shared.remove(name);
    }

    @Override
    public void freeze() {
        faults.freeze();
    }

    @Override
    public void thaw() {
        faults.thaw();
    }

    @Override
    public void disconnectAll() {
        faults.disconnect();
    }

    @Override
    public void restartEmpty() {
        faults.freeze();
        shared.restart();
        faults.disconnect();
        faults.thaw();
    }

    @Override
    public int listeners() {
        return shared.listeners();
    }
}
