// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract.memory;

import io.boltwork.contract.LockSite;
import io.boltwork.contract.lock.CallContract;
import io.boltwork.contract.lock.QuickParts;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.ExtendWith;

/** Calls of locks in a map with versions keep the contract. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
@ExtendWith(QuickParts.class)
class MapStoreCallContractTest extends CallContract {

    @Override
    protected LockSite site() {
        return new MapStoreSite();
    }
}
