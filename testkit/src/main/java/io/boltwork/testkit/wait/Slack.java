// SPDX-License-Identifier: Apache-2.0
package io.boltwork.testkit.wait;

import java.time.Duration;

/**
 * The patience of tests. The system property {@code boltwork.slack} (a number, default 1) multiplies the time bounds of
 * tests, for slow or busy machines. Stateless.
 *
 * @since 0.1.0
 */
public final class Slack {
    private Slack() {}

    /**
     * Returns the factor.
     *
     * @return the value of {@code boltwork.slack}, 1 unless set
     * @throws IllegalArgumentException if the property is not a positive number
     */
    public static double factor() {
        String value = System.getProperty("boltwork.slack", "1");
        double factor = Double.parseDouble(value);
        if (!(factor > 0)) {
            throw new IllegalArgumentException("boltwork.slack must be a positive number, not " + value);
        }
        return factor;
    }

    /**
     * Returns a time bound multiplied by the factor.
     *
     * @param bound the bound on a machine that is neither slow nor busy
     * @return the bound times {@link #factor()}
     */
    public static Duration of(Duration bound) {
        return Duration.ofNanos((long) (bound.toNanos() * factor()));
    }

    /**
     * Returns a time bound in seconds multiplied by the factor.
     *
     * @param seconds the bound on a machine that is neither slow nor busy
     * @return the bound times {@link #factor()}
     */
    public static Duration seconds(long seconds) {
        return of(Duration.ofSeconds(seconds));
    }
}
