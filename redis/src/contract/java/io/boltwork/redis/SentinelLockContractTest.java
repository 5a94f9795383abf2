// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import io.boltwork.contract.LockSite;
import io.boltwork.contract.lock.LockContract;
import io.boltwork.testkit.server.ReplicaGroup;
import io.boltwork.testkit.server.SentinelGroup;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Tests that locks on a master with sentinels keep the contract. The sentinels are patient, so that it stays the
 * master.
 */
@EnabledIfSystemProperty(named = "boltwork.proof", matches = "true", disabledReason = "minutes: -Dboltwork.proof=true")
class SentinelLockContractTest extends LockContract {
    private static SentinelGroup group;

    @BeforeAll
    static void start() {
        group = SentinelGroup.watching(
                ReplicaGroup.start(2), List.of("sentinel down-after-milliseconds " + SentinelGroup.NAME + " 600000"));
    }

    @AfterAll
    static void stop() {
        group.close();
    }

    @Override
    protected LockSite site() {
        return new RedisSite(
                group.data().servers().get(0),
                timeout -> RedisBackend.connect(group.uri().replace("#", RedisSite.timeout(timeout) + "#")));
    }
}
