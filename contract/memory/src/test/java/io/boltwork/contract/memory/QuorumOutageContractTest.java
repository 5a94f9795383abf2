// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract.memory;

import io.boltwork.contract.LockSite;
import io.boltwork.contract.lock.OutageContract;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Outages of locks on a quorum in memory keep the contract. */
@EnabledIfSystemProperty(named = "boltwork.proof", matches = "true", disabledReason = "for mvn verify -Pproof")
class QuorumOutageContractTest extends OutageContract {

    @Override
    protected LockSite site() {
        return new MemoryQuorumSite(3);
    }
}
