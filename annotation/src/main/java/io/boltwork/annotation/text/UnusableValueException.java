// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation.text;

import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A value from which no name or condition can be computed. {@link LockCall#evaluate} adds the method and the
 * expression.
 */
public final class UnusableValueException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** The advice for an expression; {@code null} if another argument would have been usable. */
    private final transient @Nullable UnaryOperator<String> remedy;

    private UnusableValueException(String problem, @Nullable UnaryOperator<String> remedy) {
        super(problem, null, false, false);
        this.remedy = remedy;
    }

    /** Returns an exception for a value that is null, empty or too large. The problem is a predicate. */
    public static UnusableValueException missing(String problem) {
        return new UnusableValueException(problem, null);
    }

    /** Returns an exception for a value of a type that is never usable. */
    public static UnusableValueException wrong(String problem, UnaryOperator<String> remedy) {
        return new UnusableValueException(problem, remedy);
    }

    /** Returns whether another value of this type may be usable. */
    boolean isMissing() {
        return remedy == null;
    }

    /** Returns the predicate of a sentence about the value. */
    public String problem() {
        return Objects.requireNonNull(getMessage());
    }

    /** Returns advice on replacing the expression. */
    public String remedy(String expression) {
        return remedy == null ? "Pass a value." : remedy.apply(expression);
    }

    /** Returns the exception for a condition whose type is not boolean. */
    public static UnusableValueException notBoolean(Class<?> type) {
        return wrong(
                "is a " + type.getTypeName() + ", and not a boolean",
                expression -> "Write a comparison, such as #amount > 100.");
    }
}
