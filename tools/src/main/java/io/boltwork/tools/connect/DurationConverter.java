// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.connect;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads durations such as {@code 500ms}, {@code 30s}, {@code 5m} and {@code 1h}. */
public final class DurationConverter implements ITypeConverter<Duration> {
    private static final Pattern FORM = Pattern.compile("(\\d{1,9})(ms|s|m|h)");

    @Override
    public Duration convert(String value) {
        Matcher matcher = FORM.matcher(value.strip());
        if (!matcher.matches()) {
            throw new TypeConversionException(
                    "'" + value + "' is not a duration; write a number and a unit, such as 500ms, 30s, 5m or 1h");
        }
        long number = Long.parseLong(matcher.group(1));
        return switch (matcher.group(2)) {
            case "ms" -> Duration.ofMillis(number);
            case "s" -> Duration.ofSeconds(number);
            case "m" -> Duration.ofMinutes(number);
            default -> Duration.ofHours(number);
        };
    }
}
