// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contracts;

import io.boltwork.testkit.LockSite;
import io.boltwork.testkit.MultiLockContract;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Multi-locks in a map with versions keep the contract. */
@EnabledIfSystemProperty(named = "boltwork.proof", matches = "true", disabledReason = "minutes: -Dboltwork.proof=true")
class MapStoreMultiLockContractTest extends MultiLockContract {

    @Override
    protected LockSite site() {
        return new MapStoreSite();
    }
}
