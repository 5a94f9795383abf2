// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contracts;

import io.boltwork.testkit.CallContract;
import io.boltwork.testkit.LockSite;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Calls of locks on a quorum in memory keep the contract. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class QuorumCallContractTest extends CallContract {

    @Override
    protected LockSite site() {
        return new MemoryQuorumSite(3);
    }
}
