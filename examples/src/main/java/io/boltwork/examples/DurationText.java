// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Parses and formats durations such as {@code 50ms}, {@code 1.5s}, {@code 1m}. */
final class DurationText {
    private static final Pattern FORM = Pattern.compile("(\\d{1,9}(?:\\.\\d{1,3})?)(ms|s|m)");

    private DurationText() {}

    static Duration parse(String text) {
        Matcher matcher = FORM.matcher(text.strip().toLowerCase(Locale.ROOT));
        if (!matcher.matches()) {
            throw new IllegalArgumentException(
                    "'" + text + "' is not a duration; write a number and a unit, such as 50ms, 1.5s or 1m");
        }
        double millis = switch (matcher.group(2)) {
            case "ms" -> 1;
            case "s" -> 1_000;
            default -> 60_000;
        };
        return Duration.ofNanos(Math.round(Double.parseDouble(matcher.group(1)) * millis * 1e6));
    }

    static String format(Duration duration) {
        long millis = duration.toMillis();
        if (millis >= 60_000 && millis % 60_000 == 0) {
            return millis / 60_000 + " min";
        }
        if (millis >= 1_000 || duration.isZero()) {
            return millis % 1_000 == 0 ? millis / 1_000 + " s" : millis / 1e3 + " s";
        }
        return duration.toNanos() % 1_000_000 == 0 ? millis + " ms" : duration.toNanos() / 1e6 + " ms";
    }
}
