// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import io.boltwork.contract.LockSite;
import io.boltwork.contract.lock.CallContract;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Calls of locks that are shared with Redisson keep the contract. */
@EnabledIfSystemProperty(named = "boltwork.proof", matches = "true", disabledReason = "for mvn verify -Pproof")
class BridgedCallContractTest extends CallContract {

    @RegisterExtension
    static final StandaloneRedis REDIS = new StandaloneRedis();

    @Override
    protected LockSite site() {
        return REDIS.site(RedisOptions.defaults().withBridge(Bridge.redisson()));
    }
}
