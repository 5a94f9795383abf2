// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

// @start region="first-lock"
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.redis.RedisBackend;

final class FirstLock {
    public static void main(String... args) {
        String uri = args.length > 0 ? args[0] : "redis://localhost:6379";
        try (LockClient locks = LockClient.create(RedisBackend.connect(uri));
                Lease lease = locks.lock("stock:1001").acquire()) {
            System.out.println("Holds stock:1001, fencing token " + lease.fencingToken());
        }
    }
}
// @end
