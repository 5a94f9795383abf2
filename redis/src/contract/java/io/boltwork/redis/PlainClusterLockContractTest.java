// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import io.boltwork.contract.LockSite;
import io.boltwork.contract.lock.LockContract;
import io.boltwork.testkit.server.ClusterGroup;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Tests that locks on a cluster of Redis 6.2, which has no sharded channels, keep the contract. */
@EnabledIfSystemProperty(named = "boltwork.proof", matches = "true", disabledReason = "minutes: -Dboltwork.proof=true")
class PlainClusterLockContractTest extends LockContract {
    private static ClusterGroup group;

    @BeforeAll
    static void start() {
        group = ClusterGroup.startEmbedded(3, 1, ClusterSite.PATIENT);
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
