package io.boltwork.spring;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A text that was given in an annotation: literal, or with expressions in it. Immutable.
 *
 * @param literal as it was given
 * @param parts what it says, one after the other; none if it is literal
 */
record LockText(String literal, List<Part> parts) {

    /**
     * A piece of a text.
     *
     * @param text as it was given: a literal, or an expression
     * @param isExpression which of both
     * @param value what it says of one call
     */
    record Part(String text, boolean isExpression, Value value) {

        /** Returns a piece that says the same of each call. */
        static Part literal(String text) {
            return new Part(text, false, call -> text);
        }
    }

    /** What a piece says. */
    @FunctionalInterface
    interface Value {

        /** What it says of one call. */
        @Nullable
        Object of(LockCall call);
    }

    static LockText of(String literal) {
        return new LockText(literal, List.of());
    }

    boolean isLiteral() {
        return parts.isEmpty();
    }

    /** Returns whether it is one expression and nothing else, rather than a template. */
    boolean isExpression() {
        return parts.size() == 1 && !literal.contains("#{");
    }

    /** How many expressions it has. */
    int expressions() {
        return (int) parts.stream().filter(Part::isExpression).count();
    }

    /** What it says of one call; {@code null} if one of several expressions does, which Spring would leave out. */
    @Nullable
    Object value(LockCall call) {
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
