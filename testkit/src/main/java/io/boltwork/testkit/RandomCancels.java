// SPDX-License-Identifier: Apache-2.0
package io.boltwork.testkit;

import io.boltwork.testkit.wait.Await;
import java.util.Random;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Begins asynchronous work under a lock and cancels it at a random moment, again and again, to find a lock that is
 * granted at the moment of the cancellation and that no code releases. Give the lock a long lease, so that no renewal
 * finds its unreachable handle meanwhile. Stateless.
 *
 * @since 0.1.0
 */
public final class RandomCancels {
    private static final int LATEST_NANOS = 60_000;

    /** Each third round may be cancelled so many times later, for a JVM that compiles nothing. */
    private static final int SLOW = 10;

    private RandomCancels() {}

    /**
     * Runs rounds, and waits until the lock is free.
     *
     * @param what the work, for the message of a failure
     * @param rounds how often the work is begun and cancelled
     * @param begin begins the work, and returns what cancels it
     * @param isFree returns whether the lock is free
     * @throws AssertionError if the lock does not become free
     */
    public static void run(String what, int rounds, Supplier<Runnable> begin, BooleanSupplier isFree) {
        Random random = new Random(rounds);
        for (int i = 0; i < rounds; i++) {
            Runnable cancel = begin.get();
            long until = System.nanoTime() + random.nextInt(i % 3 == 0 ? LATEST_NANOS * SLOW : LATEST_NANOS);
            while (System.nanoTime() < until) {
                Thread.onSpinWait();
            }
            cancel.run();
        }
        Await.until("after " + rounds + " cancelled calls of " + what + ", the lock is free", isFree);
    }
}
