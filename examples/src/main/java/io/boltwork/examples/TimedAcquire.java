// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import io.boltwork.FencedLock;
import io.boltwork.Lease;
import java.time.Duration;
import java.util.Optional;

/** Waits for a limited time: the customer is asked to try again instead of waiting longer. */
final class TimedAcquire {
    private TimedAcquire() {}

    static String buy(FencedLock lock, Runnable purchase) throws InterruptedException {
        // @start region="timed"
        Optional<Lease> turn = lock.tryAcquire(Duration.ofSeconds(2));
        if (turn.isEmpty()) {
            return "busy, please try again";
        }
        try (Lease lease = turn.get()) {
            purchase.run();
            return "sold";
        }
        // @end
    }
}
