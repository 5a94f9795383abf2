package io.boltwork.spring;

import org.jspecify.annotations.Nullable;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.Expression;

/**
 * A text that was given in an annotation: literal, or with expressions in it. Immutable.
 *
 * @param literal what it says, if it has no expressions
 * @param expression what it says, if it has
 */
record LockText(String literal, @Nullable Expression expression) {

    static LockText of(String literal) {
        return new LockText(literal, null);
    }

    boolean isLiteral() {
        return expression == null;
    }

    /** What it says of one call; {@code null} if an expression says so. */
    @Nullable
    Object value(@Nullable EvaluationContext context) {
        if (expression == null) {
            return literal;
        }
        return context == null ? null : expression.getValue(context);
    }
}
