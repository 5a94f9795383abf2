package io.boltwork.examples;

import io.boltwork.FencedLock;
import io.boltwork.Lease;
import java.time.Duration;
import java.util.Optional;

/** Waiting for a limited time: a customer is told to come again rather than kept waiting. */
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
