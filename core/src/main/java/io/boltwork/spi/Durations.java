// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spi;

import java.time.Duration;
import java.util.Objects;

/**
 * Checks and prints durations.
 *
 * @since 0.1.0
 */
public final class Durations {

    /** In nanoseconds: longer than any wait. */
    private static final long FOREVER = Long.MAX_VALUE;

    private Durations() {}

    /**
     * Checks a duration and returns it in whole milliseconds.
     *
     * @param parameter the name of the parameter, for the message
     * @param value its value
     * @param least the shortest allowed duration
     * @param most the longest allowed duration
     * @return the value; fractions of a millisecond are dropped
     * @throws IllegalArgumentException if the value is out of bounds
     */
    public static Duration between(String parameter, Duration value, Duration least, Duration most) {
        Objects.requireNonNull(value, parameter);
        if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
            throw new IllegalArgumentException(
                    parameter + " must be between " + text(least) + " and " + text(most) + ", but is " + text(value));
        }
        return Duration.ofMillis(value.toMillis());
    }

    /**
     * Returns a duration in nanoseconds. A negative duration counts as zero.
     *
     * @param parameter the name of the parameter, for the message
     * @param value its value
     * @return the nanoseconds; {@link Long#MAX_VALUE} if there are more
     */
    public static long nanos(String parameter, Duration value) {
        Objects.requireNonNull(value, parameter);
        if (value.isNegative()) {
            return 0;
        }
        try {
            return value.toNanos();
        } catch (ArithmeticException beyondCenturies) {
            return FOREVER;
        }
    }

    /**
     * Returns a duration for messages: {@code 250 ms}, {@code 30 s}, {@code 5 min}, {@code 36 h}.
     *
     * @param value the duration
     * @return the text
     */
    public static String text(Duration value) {
        long seconds = value.toSeconds();
        if (value.toMillisPart() != 0 || seconds == 0) {
            boolean isShort = -10_000 < seconds && seconds < 10_000;
            if (isShort && !value.isZero() && value.toMillis() == 0) {
                return value.toNanos() + " ns";
            }
            return isShort ? value.toMillis() + " ms" : seconds + " s";
        }
        if (seconds % 86_400 == 0 && seconds > 86_400) {
            return seconds / 86_400 + " days";
        }
        if (seconds % 3_600 == 0) {
            return seconds / 3_600 + " h";
        }
        return seconds % 60 == 0 && seconds > 60 ? seconds / 60 + " min" : seconds + " s";
    }
}
