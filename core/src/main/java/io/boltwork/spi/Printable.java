// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spi;

import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Makes text from outside safe to print: names of locks, applications, hosts and threads, and answers of a server.
 * Control characters are written as escapes such as {@code \}{@code u000a}. A name can then neither begin a new line in
 * a log, nor send commands to a terminal, nor reverse the text after it.
 *
 * <p>Control characters are those of ASCII and C1, line and paragraph separators, format characters such as those for
 * the direction of text, and unpaired surrogates. Backslashes are not escaped, so escaping a text twice changes
 * nothing.
 *
 * @since 0.1.0
 */
public final class Printable {

    private static final Pattern CONTROL = Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}\\p{Cs}]");

    private Printable() {}

    /**
     * Returns a text with its control characters escaped.
     *
     * @param text any text
     * @return the escaped text; the same instance if it has no control characters
     */
    public static String text(String text) {
        Matcher control = CONTROL.matcher(text);
        return control.find() ? control.replaceAll(Printable::escaped) : text;
    }

    private static String escaped(MatchResult control) {
        String escaped = control.group()
                .chars()
                .mapToObj(c -> String.format(Locale.ROOT, "\\u%04x", c))
                .collect(Collectors.joining());
        return Matcher.quoteReplacement(escaped);
    }
}
