package io.boltwork.testkit;

import java.time.Duration;

/**
 * How patient tests are. The system property {@code boltwork.slack} (a number, default 1) multiplies the time bounds of
 * tests, for machines that are slow or busy. Stateless.
 */
public final class Slack {
    private Slack() {}

    /**
     * The factor.
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
     * A time bound, stretched.
     *
     * @param bound the bound on a machine that is neither slow nor busy
     * @return the bound times {@link #factor()}
     */
    public static Duration of(Duration bound) {
        return Duration.ofNanos((long) (bound.toNanos() * factor()));
    }

    /**
     * A time bound in seconds, stretched.
     *
     * @param seconds the bound on a machine that is neither slow nor busy
     * @return the bound times {@link #factor()}
     */
    public static Duration seconds(long seconds) {
        return of(Duration.ofSeconds(seconds));
    }
}
