package io.boltwork.spring;

import org.jspecify.annotations.Nullable;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.Expression;
import org.springframework.expression.common.CompositeStringExpression;

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

    /** What it says of one call; {@code null} if an expression does, be it one of several in a template. */
    @Nullable
    Object value(@Nullable EvaluationContext context) {
        if (expression == null) {
            return literal;
        }
        if (context == null) {
            return null;
        }
        if (!(expression instanceof CompositeStringExpression template)) {
            return expression.getValue(context);
        }
        StringBuilder text = new StringBuilder(); // Spring would leave out what is null
        for (Expression part : template.getExpressions()) {
            Object value = part.getValue(context);
            if (value == null) {
                return null;
            }
            text.append(value);
        }
        return text.toString();
    }
}
