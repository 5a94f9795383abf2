// SPDX-License-Identifier: Apache-2.0
package io.boltwork.testkit.wait;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Waits for conditions, so that tests need not wait for fixed times. Stateless.
 *
 * @since 0.1.0
 */
public final class Await {
    private static final Duration PATIENCE = Duration.ofSeconds(15);
    private static final long SHORTEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long LONGEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(20);

    /** A condition is seen at most this part of the wait too late. */
    private static final int LATE_PART = 32;

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
     * Waits until a condition holds. It is tested each millisecond at first, and less often the longer it takes.
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
            long waited = System.nanoTime() - start;
            if (waited > patience) {
                throw new AssertionError("Not within " + Slack.of(bound) + ": " + what);
            }
            LockSupport.parkNanos(Math.max(SHORTEST_PAUSE, Math.min(LONGEST_PAUSE, waited / LATE_PART)));
        }
    }
}
