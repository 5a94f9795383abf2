// SPDX-License-Identifier: Apache-2.0
package io.boltwork.testkit;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Waits for conditions, so that tests need not wait for fixed times. Stateless.
 *
 * @since 0.1.0
 */
public final class Await {
    private static final Duration PATIENCE = Duration.ofSeconds(15);
    private static final Duration PAUSE = Duration.ofMillis(1);

    private Await() {}

    /**
     * Waits until a condition holds, for at most 15 s times {@link Slack#factor()}.
     *
     * @param what the condition in words, for the message of a failure
     * @param condition the condition; tested repeatedly
     * @throws AssertionError if the condition did not hold in time
     */
    public static void until(String what, BooleanSupplier condition) {
        within(PATIENCE, what, condition);
    }

    /**
     * Waits until a condition holds.
     *
     * @param bound the maximum time, to be multiplied by {@link Slack#factor()}
     * @param what the condition in words, for the message of a failure
     * @param condition the condition; tested repeatedly
     * @throws AssertionError if the condition did not hold in time
     */
    public static void within(Duration bound, String what, BooleanSupplier condition) {
        long start = System.nanoTime();
        long patience = Slack.of(bound).toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - start > patience) {
                throw new AssertionError("Not within " + Slack.of(bound) + ": " + what);
            }
            LockSupport.parkNanos(PAUSE.toNanos());
        }
    }
}
