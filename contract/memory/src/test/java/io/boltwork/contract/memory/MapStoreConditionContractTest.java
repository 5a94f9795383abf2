// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract.memory;

import io.boltwork.contract.LockSite;
import io.boltwork.contract.condition.ConditionContract;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Conditions in a map with versions keep the contract. */
@EnabledIfSystemProperty(named = "boltwork.proof", matches = "true", disabledReason = "minutes: -Dboltwork.proof=true")
class MapStoreConditionContractTest extends ConditionContract {

    @Override
    protected LockSite site() {
        return new MapStoreSite();
    }
}
