// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation.operation;

import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Parses durations such as {@code 500ms}, {@code 30s}, {@code 5m} and {@code PT30S}. */
public final class Durations {
    private static final Pattern NUMBER = Pattern.compile("\\s*[+-]?\\d+\\s*");
    private static final Pattern ISO = Pattern.compile("[+-]?[pP].*");
    private static final Map<String, ChronoUnit> UNITS = Map.of(
            "ns", ChronoUnit.NANOS,
            "us", ChronoUnit.MICROS,
            "ms", ChronoUnit.MILLIS,
            "s", ChronoUnit.SECONDS,
            "m", ChronoUnit.MINUTES,
            "h", ChronoUnit.HOURS,
            "d", ChronoUnit.DAYS);
    private static final Pattern SIMPLE = Pattern.compile("([+-]?\\d+)([a-zA-Z]{1,2})");

    private Durations() {}

    /** Returns whether a text is a number without a unit. */
    public static boolean isNumber(String text) {
        return NUMBER.matcher(text).matches();
    }

    /**
     * Returns the duration, which is not negative.
     *
     * @throws IllegalArgumentException if the text is none, or the duration is too long
     */
    public static Duration parse(String text) {
        if (isNumber(text)) {
            throw new IllegalArgumentException("'" + text + "' has no unit");
        }
        Duration duration = signed(text);
        if (duration.isNegative()) {
            throw new IllegalArgumentException("'" + text + "' is negative");
        }
        return duration;
    }

    private static Duration signed(String text) {
        if (ISO.matcher(text).matches()) {
            try {
                return Duration.parse(text);
            } catch (DateTimeParseException e) {
                throw new IllegalArgumentException("'" + text + "' is not a valid ISO-8601 duration", e);
            }
        }
        Matcher simple = SIMPLE.matcher(text);
        if (!simple.matches()) {
            throw new IllegalArgumentException("'" + text + "' is not a valid duration");
        }
        String unit = simple.group(2).toLowerCase(Locale.ROOT);
        if (!UNITS.containsKey(unit)) {
            throw new IllegalArgumentException("'" + text + "' is not a valid simple duration");
        }
        try {
            return Duration.of(Long.parseLong(simple.group(1)), Objects.requireNonNull(UNITS.get(unit)));
        } catch (NumberFormatException | ArithmeticException e) {
            throw new IllegalArgumentException("'" + text + "' is not a valid simple duration", e);
        }
    }
}
