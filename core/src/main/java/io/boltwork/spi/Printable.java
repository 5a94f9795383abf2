package io.boltwork.spi;

import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Makes texts for people out of texts that come from outside: names of locks, applications, hosts and threads, and what a server
 * says. Control characters are written as {@code \}{@code u000a}, so that a name can neither begin a line of a log, nor send commands
 * to a terminal, nor reverse what follows it.
 *
 * <p>Control characters are those of ASCII and of C1, line and paragraph separators, format characters such as those for the
 * direction of a text, and unpaired surrogates. Backslashes stay as they are: to escape a text twice changes nothing.
 */
public final class Printable {

    private static final Pattern CONTROL = Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}\\p{Cs}]");

    private Printable() {}

    /**
     * Returns a text without control characters.
     *
     * @param text any text
     * @return the same text if it has none
     */
    public static String text(String text) {
        Matcher control = CONTROL.matcher(text);
        return control.find() ? control.replaceAll(Printable::escaped) : text;
    }

    /**
     * Returns values for a log message, without control characters.
     *
     * @param values what is filled in: numbers stay numbers, all else is replaced by its text, which is made when the message is
     * @return the values
     */
    public static Object[] all(@Nullable Object... values) {
        Object[] printable = new Object[values.length];
        for (int i = 0; i < values.length; i++) {
            printable[i] = values[i] instanceof Number number ? number : new Text(values[i]);
        }
        return printable;
    }

    /** Makes the text of a value when it is asked for: most messages of the level DEBUG are never made. */
    private record Text(@Nullable Object value) {
        @Override
        public String toString() {
            return text(String.valueOf(value));
        }
    }

    private static String escaped(MatchResult control) {
        String escaped = control.group()
                .chars()
                .mapToObj(c -> String.format(Locale.ROOT, "\\u%04x", c))
                .collect(Collectors.joining());
        return Matcher.quoteReplacement(escaped);
    }
}
