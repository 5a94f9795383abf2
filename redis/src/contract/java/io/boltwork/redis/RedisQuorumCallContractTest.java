// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import io.boltwork.contract.LockSite;
import io.boltwork.contract.lock.CallContract;
import io.boltwork.contract.lock.QuickParts;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Calls of locks on a quorum of three real servers keep the contract. */
@EnabledIfSystemProperty(named = "boltwork.proof", matches = "true", disabledReason = "minutes: -Dboltwork.proof=true")
@ExtendWith(QuickParts.class)
class RedisQuorumCallContractTest extends CallContract {

    @RegisterExtension
    static final QuorumRedis REDIS = new QuorumRedis(3);

    @Override
    protected LockSite site() {
        return REDIS.site();
    }
}
