// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spi.rules;

import io.boltwork.spi.Printable;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The text of a record: lines of fields that are separated by spaces. The first field of a line names its kind. Texts
 * in fields are written in ASCII, without spaces and line breaks, so that a database keeps them whatever its encoding
 * is. Not thread-safe.
 *
 * @since 0.1.0
 */
public final class RecordLines {

    /** The version of the texts, which is the second field of the first line. */
    static final String VERSION = "1";

    private static final char ESCAPE = '%';
    private static final String ABSENT = "-";
    private static final char PRESENT = '=';
    private static final int HEXADECIMAL = 16;
    private static final char LATIN_1 = '\u00ff';
    private static final int DIGITS = 2;

    /** Between the escape and the digits of a character that needs more of them. */
    private static final String LONG = "u";

    private static final int LONG_DIGITS = 4;

    private final StringBuilder text = new StringBuilder();

    private RecordLines() {}

    /**
     * Begins the text of a record.
     *
     * @param kind the kind of the record
     * @return the text, which has the kind and the version so far
     */
    public static RecordLines ofKind(String kind) {
        return new RecordLines().line(kind, VERSION);
    }

    /**
     * Adds a line.
     *
     * @param fields numbers, or texts that {@link #field} has written
     * @return this text
     */
    public RecordLines line(Object... fields) {
        if (text.length() > 0) {
            text.append('\n');
        }
        for (int i = 0; i < fields.length; i++) {
            if (i > 0) {
                text.append(' ');
            }
            text.append(fields[i]);
        }
        return this;
    }

    /**
     * Adds fields to the last line.
     *
     * @param fields numbers, or texts that {@link #field} has written
     * @return this text
     */
    public RecordLines more(Object... fields) {
        for (Object field : fields) {
            text.append(' ').append(field);
        }
        return this;
    }

    @Override
    public String toString() {
        return text.toString();
    }

    /**
     * Writes a text, or its absence, as a field.
     *
     * @param value the text, or {@code null}
     * @return the field
     */
    public static String field(@Nullable String value) {
        if (value == null) {
            return ABSENT;
        }
        StringBuilder field = new StringBuilder(value.length() + 1).append(PRESENT);
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c > ' ' && c < '\u007f' && c != ESCAPE) {
                field.append(c);
            } else {
                field.append(String.format(c <= LATIN_1 ? "%c%02x" : "%cu%04x", ESCAPE, (int) c));
            }
        }
        return field.toString();
    }

    /** Reads a field that {@link #field} has written. */
    static @Nullable String value(String field) {
        if (field.equals(ABSENT)) {
            return null;
        }
        if (field.isEmpty() || field.charAt(0) != PRESENT) {
            throw new IllegalArgumentException("'" + Printable.text(field) + "' is not a text field");
        }
        if (field.indexOf(ESCAPE) < 0) {
            return field.substring(1);
        }
        StringBuilder value = new StringBuilder(field.length());
        for (int i = 1; i < field.length(); i++) {
            char c = field.charAt(i);
            if (c == ESCAPE) {
                boolean isLong = field.startsWith(LONG, i + 1);
                int begin = isLong ? i + 2 : i + 1;
                int end = begin + (isLong ? LONG_DIGITS : DIGITS);
                value.append((char) Integer.parseInt(field, begin, end, HEXADECIMAL));
                i = end - 1;
            } else {
                value.append(c);
            }
        }
        return value.toString();
    }

    /** A line that is read, field by field. Each method reads the next one. */
    public static final class Line {
        private final String[] fields;
        private int next;

        private Line(String line) {
            fields = line.split(" ", -1);
        }

        /**
         * Reads a word.
         *
         * @return the field as it is written
         */
        public String word() {
            if (next == fields.length) {
                throw new IllegalArgumentException(
                        "the line '" + Printable.text(String.join(" ", fields)) + "' is too short");
            }
            return fields[next++];
        }

        /**
         * Reads a number.
         *
         * @return the number
         */
        public long number() {
            return Long.parseLong(word());
        }

        /**
         * Reads a number that is an {@code int}.
         *
         * @return the number
         */
        public int integer() {
            return Math.toIntExact(number());
        }

        /**
         * Reads a flag that {@link RecordLines#flag} has written.
         *
         * @return the flag
         */
        public boolean flag() {
            return number() != 0;
        }

        /**
         * Reads a text or its absence, as {@link RecordLines#field} has written it.
         *
         * @return the text, or {@code null}
         */
        public @Nullable String optional() {
            return value(word());
        }

        /**
         * Reads a text that {@link RecordLines#field} has written.
         *
         * @return the text
         */
        public String text() {
            String value = optional();
            if (value == null) {
                throw new IllegalArgumentException(
                        "a text is missing in '" + Printable.text(String.join(" ", fields)) + "'");
            }
            return value;
        }

        /**
         * Returns whether a field is left.
         *
         * @return whether a field is left
         */
        public boolean isMore() {
            return next < fields.length;
        }
    }

    /**
     * Writes a flag as a field.
     *
     * @param flag the flag
     * @return the field
     */
    public static int flag(boolean flag) {
        return flag ? 1 : 0;
    }

    /**
     * Returns the lines of the text of a record, the first one without its kind and version.
     *
     * @param kind the kind that the record must have
     * @param text the text of the record
     * @return the lines, at least one
     * @throws IllegalArgumentException if the text is of another kind or version
     */
    public static List<Line> read(String kind, String text) {
        List<Line> lines = new ArrayList<>();
        for (String line : text.split("\n", -1)) {
            lines.add(new Line(line));
        }
        Line first = lines.get(0);
        String found = first.word();
        if (!found.equals(kind)) {
            throw new IllegalArgumentException(
                    "the record is of the kind '" + Printable.text(found) + "', not '" + Printable.text(kind) + "'");
        }
        String version = first.word();
        if (!version.equals(VERSION)) {
            throw new IllegalArgumentException("the record has the version " + version + ", and this client knows "
                    + VERSION + ": all clients of a store must use the same version");
        }
        return lines;
    }
}
