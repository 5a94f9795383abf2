// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import io.boltwork.testkit.LockSite;
import io.boltwork.testkit.SemaphoreContract;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Semaphores on a real, standalone Redis keep the contract. */
class StandaloneSemaphoreContractTest extends SemaphoreContract {

    @RegisterExtension
    static final StandaloneRedis REDIS = new StandaloneRedis();

    @Override
    protected LockSite site() {
        return REDIS.site();
    }
}
