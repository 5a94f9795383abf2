// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract.memory;

import io.boltwork.contract.LockSite;
import io.boltwork.contract.lock.CallContract;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Calls of locks on a quorum in memory keep the contract. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class QuorumCallContractTest extends CallContract {

    @Override
    protected LockSite site() {
        return new MemoryQuorumSite(3);
    }
}
