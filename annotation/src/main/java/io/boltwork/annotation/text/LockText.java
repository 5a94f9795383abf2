// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation.text;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A text of an annotation: a literal, or a text that contains expressions. Immutable.
 *
 * @param literal the text as written
 * @param parts its parts, in order; empty if the text is a literal
 */
public record LockText(String literal, List<Part> parts) {
    private static final Pattern QUOTED = Pattern.compile("^'([^']*)'");

    /**
     * A part of a text.
     *
     * @param text the part as written: a literal or an expression
     * @param isExpression whether the part is an expression
     * @param value the value of the part for a call
     */
    public record Part(String text, boolean isExpression, Value value) {

        /** Returns a part whose value is the same for each call. */
        public static Part literal(String text) {
            return new Part(text, false, call -> text);
        }
    }

    /** The value of a part. */
    @FunctionalInterface
    public interface Value {

        /** Returns the value for one call. */
        @Nullable
        Object of(LockCall call);
    }

    public static LockText of(String literal) {
        return new LockText(literal, List.of());
    }

    boolean isLiteral() {
        return parts.isEmpty();
    }

    /** Returns whether the whole text is a single expression and not a template. */
    boolean isExpression() {
        return parts.size() == 1 && parts.get(0).text().equals(literal);
    }

    /** Returns the literal text at the beginning; empty if there is none. */
    public String start() {
        if (isLiteral()) {
            return literal;
        }
        if (isExpression()) {
            Matcher quoted = QUOTED.matcher(literal);
            return quoted.find() ? quoted.group(1) : "";
        }
        return parts.get(0).isExpression() ? "" : parts.get(0).text();
    }

    /** Returns the number of expressions. */
    public int expressions() {
        return (int) parts.stream().filter(Part::isExpression).count();
    }

    /**
     * Returns the value for one call; {@code null} if any expression is null. Spring would silently omit such an
     * expression from a template.
     */
    @Nullable
    public Object value(LockCall call) {
        if (parts.isEmpty()) {
            return literal;
        }
        if (parts.size() == 1) {
            return parts.get(0).value().of(call);
        }
        StringBuilder text = new StringBuilder();
        for (Part part : parts) {
            Object value = part.value().of(call);
            if (value == null) {
                return null;
            }
            text.append(value);
        }
        return text.toString();
    }
}
