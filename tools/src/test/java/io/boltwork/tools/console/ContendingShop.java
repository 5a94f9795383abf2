// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.console;

import io.boltwork.BackendException;
import io.boltwork.ClientOptions;
import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.redis.RedisBackend;
import java.util.concurrent.TimeUnit;

/** A JVM that takes one lock again and again, until it is killed. */
public final class ContendingShop {
    private ContendingShop() {}

    /**
     * Arguments: the URI of Redis, the name of the application, that of the lock, and how many milliseconds it is held.
     */
    public static void main(String... args) throws InterruptedException {
        LockClient client = connected(args[0], args[1]);
        FencedLock lock = client.lock(args[2]);
        long millis = Long.parseLong(args[3]);
        while (true) {
            try (Lease lease = lock.acquire()) {
                if (lease.isValid()) {
                    TimeUnit.MILLISECONDS.sleep(millis);
                }
            } catch (io.boltwork.LeaseLostException taken) {
                // the next one
            }
        }
    }

    private static LockClient connected(String uri, String application) {
        while (true) {
            try {
                return LockClient.create(
                        RedisBackend.connect(uri), ClientOptions.defaults().withApplication(application));
            } catch (BackendException late) {
                // on a busy machine, a JVM that has just started is slow
            }
        }
    }
}
