// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import io.boltwork.contract.LockSite;
import io.boltwork.contract.lock.OutageContract;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Locks on a quorum of three real servers keep the contract during outages. */
@EnabledIfSystemProperty(named = "boltwork.proof", matches = "true", disabledReason = "minutes: -Dboltwork.proof=true")
class RedisQuorumOutageContractTest extends OutageContract {

    @RegisterExtension
    static final QuorumRedis REDIS = new QuorumRedis(3);

    @Override
    protected LockSite site() {
        return REDIS.site();
    }
}
