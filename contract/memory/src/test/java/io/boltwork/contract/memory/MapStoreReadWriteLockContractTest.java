// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract.memory;

import io.boltwork.contract.LockSite;
import io.boltwork.contract.readwrite.ReadWriteLockContract;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Read-write locks in a map with versions keep the contract. */
@EnabledIfSystemProperty(named = "boltwork.proof", matches = "true", disabledReason = "minutes: -Dboltwork.proof=true")
class MapStoreReadWriteLockContractTest extends ReadWriteLockContract {

    @Override
    protected LockSite site() {
        return new MapStoreSite();
    }
}
