// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract.memory;

import io.boltwork.contract.LockSite;
import io.boltwork.contract.semaphore.SemaphoreContract;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Semaphores in a map with versions keep the contract. */
@EnabledIfSystemProperty(named = "boltwork.proof", matches = "true", disabledReason = "minutes: -Dboltwork.proof=true")
class MapStoreSemaphoreContractTest extends SemaphoreContract {

    @Override
    protected LockSite site() {
        return new MapStoreSite();
    }
}
