// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import io.boltwork.contract.LockSite;
import io.boltwork.contract.lock.CallContract;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Calls of locks on a real, standalone Redis keep the contract. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class StandaloneCallContractTest extends CallContract {

    @RegisterExtension
    static final StandaloneRedis REDIS = new StandaloneRedis();

    @Override
    protected LockSite site() {
        return REDIS.site();
    }
}
