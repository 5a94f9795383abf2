// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import io.boltwork.contract.LockSite;
import io.boltwork.contract.lock.OutageContract;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Locks on a real, standalone Redis keep the contract during outages. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class StandaloneOutageContractTest extends OutageContract {

    @RegisterExtension
    static final StandaloneRedis REDIS = new StandaloneRedis();

    @Override
    protected LockSite site() {
        return REDIS.site();
    }
}
