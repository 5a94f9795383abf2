// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.migration;

import io.boltwork.FencedLock;
import io.boltwork.LockClient;
import io.boltwork.redis.Bridge;
import io.boltwork.redis.RedisBackend;
import io.boltwork.redis.RedisOptions;

/** A service that has moved to Boltwork while others still use Redisson for the same locks. */
final class OnTheBridge {
    private OnTheBridge() {}

    static void run(String uri, Runnable sale) {
        // @start region="bridge"
        RedisOptions options =
                RedisOptions.defaults().withBridge(Bridge.redisson().withNames("orders:*", "coupons:*"));
        try (LockClient locks = LockClient.create(RedisBackend.connect(uri, options))) {
            FencedLock lock = locks.lock("orders:1001"); // the lock of redisson.getLock("orders:1001"), too
            lock.lock();
            try {
                sale.run();
            } finally {
                lock.unlock();
            }
        }
        // @end
    }
}
