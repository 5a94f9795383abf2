package io.boltwork.spi;

import java.util.Locale;
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

    private static final int FIRST_VISIBLE = ' ';
    private static final int DELETE = 0x7f;

    private Printable() {}

    /**
     * Returns a text without control characters.
     *
     * @param text any text
     * @return the same text if it has none
     */
    public static String text(String text) {
        for (int i = 0; i < text.length(); ) {
            int c = text.codePointAt(i);
            if (isControl(c)) {
                return escaped(text, i);
            }
            i += Character.charCount(c);
        }
        return text;
    }

    /**
     * Returns values for a log message, without control characters.
     *
     * @param values what is filled in: numbers stay numbers, all else becomes its text
     * @return the values
     */
    public static Object[] all(@Nullable Object... values) {
        Object[] printable = new Object[values.length];
        for (int i = 0; i < values.length; i++) {
            printable[i] = values[i] instanceof Number number ? number : text(String.valueOf(values[i]));
        }
        return printable;
    }

    private static String escaped(String text, int from) {
        StringBuilder escaped = new StringBuilder(text.length() + 16).append(text, 0, from);
        for (int i = from; i < text.length(); ) {
            int c = text.codePointAt(i);
            int next = i + Character.charCount(c);
            if (!isControl(c)) {
                escaped.appendCodePoint(c);
            } else {
                for (; i < next; i++) {
                    escaped.append(String.format(Locale.ROOT, "\\u%04x", (int) text.charAt(i)));
                }
            }
            i = next;
        }
        return escaped.toString();
    }

    private static boolean isControl(int c) {
        if (c >= FIRST_VISIBLE && c < DELETE) {
            return false;
        }
        return switch (Character.getType(c)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.SURROGATE -> true;
            default -> false;
        };
    }
}
