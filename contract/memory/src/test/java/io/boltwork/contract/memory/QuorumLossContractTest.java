// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract.memory;

import io.boltwork.contract.LockSite;
import io.boltwork.contract.lock.LossContract;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Locks on a quorum in memory keep the contract of losses. */
@EnabledIfSystemProperty(named = "boltwork.proof", matches = "true", disabledReason = "for mvn verify -Pproof")
class QuorumLossContractTest extends LossContract {

    @Override
    protected LockSite site() {
        return new MemoryQuorumSite(3);
    }
}
