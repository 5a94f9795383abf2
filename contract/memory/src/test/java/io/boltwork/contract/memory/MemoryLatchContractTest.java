// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract.memory;

import io.boltwork.contract.LockSite;
import io.boltwork.contract.latch.LatchContract;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Latches in memory keep the contract. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class MemoryLatchContractTest extends LatchContract {

    @Override
    protected LockSite site() {
        return new MemorySite();
    }
}
