// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import io.boltwork.contract.LockSite;
import io.boltwork.contract.lock.LockContract;
import io.boltwork.testkit.server.ReplicaGroup;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Tests that locks on a master with replicas keep the contract. */
@EnabledIfSystemProperty(named = "boltwork.proof", matches = "true", disabledReason = "minutes: -Dboltwork.proof=true")
class ReplicatedLockContractTest extends LockContract {
    private static ReplicaGroup group;

    @BeforeAll
    static void start() {
        group = ReplicaGroup.start(2);
    }

    @AfterAll
    static void stop() {
        group.close();
    }

    @Override
    protected LockSite site() {
        return new RedisSite(
                group.servers().get(0),
                timeout -> RedisBackend.connectReplicated(group.uris().stream()
                        .map(uri -> uri + RedisSite.timeout(timeout))
                        .toList()));
    }
}
