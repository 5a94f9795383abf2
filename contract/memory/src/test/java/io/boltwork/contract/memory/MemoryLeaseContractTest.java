// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract.memory;

import io.boltwork.contract.LockSite;
import io.boltwork.contract.lock.LeaseContract;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Leases of locks in memory keep the contract. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class MemoryLeaseContractTest extends LeaseContract {

    @Override
    protected LockSite site() {
        return new MemorySite();
    }
}
