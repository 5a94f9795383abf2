// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.migration;

import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.zookeeper.ZooKeeperBackend;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;

/** A mutex of Curator. */
final class FromCurator {
    private FromCurator() {}

    static void before(CuratorFramework curator, Runnable sale) throws Exception {
        InterProcessMutex stock = new InterProcessMutex(curator, "/locks/stock-1001");
        stock.acquire();
        try {
            sale.run();
        } finally {
            stock.release();
        }
    }

    static LockClient client(CuratorFramework curator) {
        // @start region="client"
        LockClient locks = LockClient.create(ZooKeeperBackend.on(curator)); // the application's framework
        // @end
        return locks;
    }

    static void after(LockClient locks, Runnable sale) {
        try (Lease stock = locks.lock("stock:1001").acquire()) {
            sale.run();
        }
    }
}
