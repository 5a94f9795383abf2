// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import io.boltwork.BackendException;
import io.boltwork.FencedLock;
import io.boltwork.LeaseLostException;
import io.boltwork.LockClient;
import io.boltwork.LockTimeoutException;
import java.time.Duration;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;

/** The code that {@link BadDaysTest} tests. */
final class Till {
    private Till() {}

    static String buy(LockClient locks, Runnable purchase) throws InterruptedException {
        try {
            locks.lock("stock:1001").run(Duration.ofMillis(50), purchase);
            return "sold";
        } catch (LockTimeoutException refused) {
            return "busy";
        } catch (LeaseLostException lost) {
            return "check it";
        } catch (BackendException unknown) {
            return "try later";
        }
    }

    /** Takes two locks in the order of the arguments, which is wrong. */
    static boolean transfer(LockClient locks, String from, String to, CyclicBarrier between) throws Exception {
        FencedLock first = locks.lock(from);
        first.lock();
        try {
            between.await(30, TimeUnit.SECONDS);
            FencedLock second = locks.lock(to);
            second.lock();
            second.unlock();
            return true;
        } finally {
            first.unlock();
        }
    }
}
