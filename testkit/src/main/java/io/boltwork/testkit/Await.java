package io.boltwork.testkit;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for conditions, so that no test waits for a time. Stateless. */
public final class Await {
    private static final Duration PATIENCE = Duration.ofSeconds(15);
    private static final Duration PAUSE = Duration.ofMillis(1);

    private Await() {}

    /**
     * Waits until something is so, 15 s at most, stretched by {@link Slack}.
     *
     * @param what what is waited for, for the failure's message
     * @param condition whether it is so; asked again and again
     * @throws AssertionError if it did not come true
     */
    public static void until(String what, BooleanSupplier condition) {
        within(PATIENCE, what, condition);
    }

    /**
     * Waits until something is so.
     *
     * @param bound how long at most, to be stretched by {@link Slack}
     * @param what what is waited for, for the failure's message
     * @param condition whether it is so; asked again and again
     * @throws AssertionError if it did not come true in time
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
