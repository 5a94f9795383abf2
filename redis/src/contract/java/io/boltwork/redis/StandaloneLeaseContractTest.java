// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import io.boltwork.contract.LockSite;
import io.boltwork.contract.lock.LeaseContract;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Leases of locks on a real, standalone Redis keep the contract. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class StandaloneLeaseContractTest extends LeaseContract {

    @RegisterExtension
    static final StandaloneRedis REDIS = new StandaloneRedis();

    @Override
    protected LockSite site() {
        return REDIS.site();
    }
}
