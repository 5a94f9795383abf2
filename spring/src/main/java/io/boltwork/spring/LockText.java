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

    /** A piece of a text. */
    @FunctionalInterface
    interface Part {

        /** What it says of one call. */
        @Nullable
        Object value(LockCall call);
    }

    static LockText of(String literal) {
        return new LockText(literal, List.of());
    }

    boolean isLiteral() {
        return parts.isEmpty();
    }

    /** What it says of one call; {@code null} if one of several expressions does, which Spring would leave out. */
    @Nullable
    Object value(LockCall call) {
        if (parts.isEmpty()) {
            return literal;
        }
        if (parts.size() == 1) {
            return parts.get(0).value(call);
        }
        StringBuilder text = new StringBuilder();
        for (Part part : parts) {
            Object value = part.value(call);
            if (value == null) {
                return null;
            }
            text.append(value);
        }
        return text.toString();
    }
}
