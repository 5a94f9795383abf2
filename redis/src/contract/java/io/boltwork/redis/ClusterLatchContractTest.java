// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import io.boltwork.contract.LockSite;
import io.boltwork.contract.latch.LatchContract;
import io.boltwork.testkit.server.ClusterGroup;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Tests that latches on a cluster with sharded channels keep the contract. */
@EnabledIfSystemProperty(named = "boltwork.proof", matches = "true", disabledReason = "minutes: -Dboltwork.proof=true")
class ClusterLatchContractTest extends LatchContract {
    private static ClusterGroup group;

    @BeforeAll
    static void start() {
        group = ClusterGroup.start(3, 1, ClusterSite.PATIENT);
    }

    @AfterAll
    static void stop() {
        group.close();
    }

    @Override
    protected LockSite site() {
        return new ClusterSite(group);
    }
}
