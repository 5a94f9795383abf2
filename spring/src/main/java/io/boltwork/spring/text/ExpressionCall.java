// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.text;

import io.boltwork.InvalidNameException;
import io.boltwork.annotation.text.LockCall;
import io.boltwork.spi.Printable;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.spel.SpelEvaluationException;
import org.springframework.expression.spel.SpelMessage;

/** One call of a locked method, for evaluating expressions. Thread-safe. */
public final class ExpressionCall extends LockCall {
    private static final Set<SpelMessage> MISSING = Set.of(
            SpelMessage.PROPERTY_OR_FIELD_NOT_READABLE_ON_NULL,
            SpelMessage.METHOD_CALL_ON_NULL_OBJECT_NOT_ALLOWED,
            SpelMessage.CANNOT_INDEX_INTO_NULL_VALUE,
            SpelMessage.ARRAY_INDEX_OUT_OF_BOUNDS,
            SpelMessage.COLLECTION_INDEX_OUT_OF_BOUNDS,
            SpelMessage.STRING_INDEX_OUT_OF_BOUNDS);

    private final LockExpressions expressions;
    private final Class<?> targetClass;

    /** Created for the first expression: most texts have none, or only refer to an argument. */
    private volatile @Nullable EvaluationContext context;

    public ExpressionCall(
            LockExpressions expressions, Method method, Object[] arguments, Object target, Class<?> targetClass) {
        super(method, arguments, target);
        this.expressions = expressions;
        this.targetClass = targetClass;
    }

    /** Returns the same call, which only this class implements here. */
    static ExpressionCall of(LockCall call) {
        return (ExpressionCall) call;
    }

    /** Returns the context for the expressions in names. */
    EvaluationContext context() {
        EvaluationContext made = context;
        if (made == null) {
            made = expressions.context(method, arguments, target, targetClass);
            context = made;
        }
        return made;
    }

    /** Returns the context for a condition. */
    EvaluationContext conditionContext() {
        return expressions.conditionContext(method, arguments, target, targetClass);
    }

    /** Returns the context for an expression whose value is neither a name nor a condition. */
    EvaluationContext plainContext() {
        return expressions.plainContext(method, arguments, target, targetClass);
    }

    @Override
    public String where() {
        return expressions.where(method, target, targetClass);
    }

    @Override
    protected @Nullable RuntimeException explained(RuntimeException thrown, String problem, String advice) {
        if (!(thrown instanceof EvaluationException failed)) {
            return null;
        }
        return isMissing(failed)
                ? new InvalidNameException(problem + "uses a value that is missing in this call. " + advice, failed)
                : new IllegalStateException(
                        Printable.text(problem + "cannot be evaluated: " + failed.getMessage()
                                + ". Nothing was executed. Correct the expression"),
                        failed);
    }

    /** Returns whether the expression failed because a part of it is null, or an index is too large. */
    private static boolean isMissing(EvaluationException failed) {
        return failed instanceof SpelEvaluationException spel
                && (MISSING.contains(spel.getMessageCode())
                        || Arrays.asList(spel.getInserts()).contains("null")
                        || Arrays.asList(spel.getInserts()).contains(null));
    }
}
