// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import io.boltwork.FencedLock;
import io.boltwork.LockClient;
import io.boltwork.redis.RedisBackend;

/** The shortest use: one thread at a time sells, across all JVMs. */
final class QuickStart {
    private QuickStart() {}

    static void sell(String uri, Runnable purchase) {
        // @start region="quick-start"
        // one client for the whole application; uri: redis://localhost:6379
        try (LockClient locks = LockClient.create(RedisBackend.connect(uri))) {
            FencedLock stock = locks.lock("stock:1001");
            stock.lock();
            try {
                purchase.run();
            } finally {
                stock.unlock();
            }
        }
        // @end
    }
}
