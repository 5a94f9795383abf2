// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract.memory;

import io.boltwork.contract.LockSite;
import io.boltwork.contract.lock.LossContract;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Locks in a map with versions keep the contract of losses. */
@EnabledIfSystemProperty(named = "boltwork.proof", matches = "true", disabledReason = "minutes: -Dboltwork.proof=true")
class MapStoreLossContractTest extends LossContract {

    @Override
    protected LockSite site() {
        return new MapStoreSite();
    }
}
