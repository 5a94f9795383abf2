// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools;

import io.boltwork.testkit.wait.Await;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Waits for conditions that other processes bring about. Checks ten times a second, because a check may start a
 * process, and looks without a pause would leave the others no processor. They may be JVMs that start side by side, so
 * the patience is a minute.
 */
public final class SlowAwait {
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private SlowAwait() {}

    /** Waits until a condition holds. */
    public static void until(String what, BooleanSupplier condition) {
        Await.within(PATIENCE, what, () -> {
            if (condition.getAsBoolean()) {
                return true;
            }
            try {
                TimeUnit.MILLISECONDS.sleep(100);
            } catch (InterruptedException end) {
                Thread.currentThread().interrupt();
                throw new AssertionError("interrupted while waiting for " + what, end);
            }
            return false;
        });
    }
}
