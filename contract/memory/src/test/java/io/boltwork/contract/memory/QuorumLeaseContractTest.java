// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract.memory;

import io.boltwork.contract.LockSite;
import io.boltwork.contract.lock.LeaseContract;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Leases of locks on a quorum in memory keep the contract. */
@EnabledIfSystemProperty(named = "boltwork.proof", matches = "true", disabledReason = "for mvn verify -Pproof")
class QuorumLeaseContractTest extends LeaseContract {

    @Override
    protected LockSite site() {
        return new MemoryQuorumSite(3);
    }
}
