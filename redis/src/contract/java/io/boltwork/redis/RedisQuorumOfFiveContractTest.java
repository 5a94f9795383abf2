// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import io.boltwork.contract.LockSite;
import io.boltwork.contract.lock.LockContract;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Locks on a quorum of five real servers keep the contract. */
@EnabledIfSystemProperty(named = "boltwork.proof", matches = "true", disabledReason = "minutes: -Dboltwork.proof=true")
class RedisQuorumOfFiveContractTest extends LockContract {

    @RegisterExtension
    static final QuorumRedis REDIS = new QuorumRedis(5);

    @Override
    protected LockSite site() {
        return REDIS.site();
    }
}
