// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract.memory;

import io.boltwork.contract.LockSite;
import io.boltwork.contract.lock.LeaseContract;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Leases of locks in a map with versions keep the contract. */
@EnabledIfSystemProperty(named = "boltwork.proof", matches = "true", disabledReason = "minutes: -Dboltwork.proof=true")
class MapStoreLeaseContractTest extends LeaseContract {

    @Override
    protected LockSite site() {
        return new MapStoreSite();
    }
}
