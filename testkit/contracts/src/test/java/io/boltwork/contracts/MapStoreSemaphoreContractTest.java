// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contracts;

import io.boltwork.testkit.LockSite;
import io.boltwork.testkit.SemaphoreContract;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Semaphores in a map with versions keep the contract. */
@EnabledIfSystemProperty(named = "boltwork.proof", matches = "true", disabledReason = "minutes: -Dboltwork.proof=true")
class MapStoreSemaphoreContractTest extends SemaphoreContract {

    @Override
    protected LockSite site() {
        return new MapStoreSite();
    }
}
