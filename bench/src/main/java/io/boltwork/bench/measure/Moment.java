// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.measure;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** Formats times for people, in UTC. Stateless. */
public final class Moment {
    private static final DateTimeFormatter MINUTE =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm").withZone(ZoneOffset.UTC);

    private Moment() {}

    /** Returns the current time, such as {@code 2026-01-31 09:12}. */
    public static String now() {
        return MINUTE.format(Instant.now());
    }

    /** Returns a span that ends now, such as {@code 2026-01-31 09:12 to 09:20 UTC}. */
    public static String since(String begin) {
        String now = now();
        return begin + " to " + now.substring(now.indexOf(' ') + 1) + " UTC";
    }

    /** Returns the time after a duration, such as {@code 09:20 UTC}. */
    public static String in(Duration time) {
        String then = MINUTE.format(Instant.now().plus(time));
        return then.substring(then.indexOf(' ') + 1) + " UTC";
    }

    /** Returns a duration as text, such as {@code 1 h 12 min} or {@code 2 min 30 s}. */
    public static String text(Duration time) {
        return time.toHours() > 0
                ? String.format(Locale.ROOT, "%d h %02d min", time.toHours(), time.toMinutesPart())
                : String.format(Locale.ROOT, "%d min %02d s", time.toMinutes(), time.toSecondsPart());
    }
}
