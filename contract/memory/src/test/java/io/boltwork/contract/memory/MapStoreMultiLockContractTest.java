// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract.memory;

import io.boltwork.contract.LockSite;
import io.boltwork.contract.multi.MultiLockContract;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Multi-locks in a map with versions keep the contract. */
@EnabledIfSystemProperty(named = "boltwork.proof", matches = "true", disabledReason = "minutes: -Dboltwork.proof=true")
class MapStoreMultiLockContractTest extends MultiLockContract {

    @Override
    protected LockSite site() {
        return new MapStoreSite();
    }
}
