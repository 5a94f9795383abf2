// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.text;

import io.boltwork.InvalidNameException;
import io.boltwork.spi.Printable;
import io.boltwork.spring.LockedCall;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.spel.SpelEvaluationException;
import org.springframework.expression.spel.SpelMessage;

/** One call of a locked method, for evaluating the texts of its annotation. Thread-safe. */
public final class LockCall {
    private static final Set<SpelMessage> MISSING = Set.of(
            SpelMessage.PROPERTY_OR_FIELD_NOT_READABLE_ON_NULL,
            SpelMessage.METHOD_CALL_ON_NULL_OBJECT_NOT_ALLOWED,
            SpelMessage.CANNOT_INDEX_INTO_NULL_VALUE,
            SpelMessage.ARRAY_INDEX_OUT_OF_BOUNDS,
            SpelMessage.COLLECTION_INDEX_OUT_OF_BOUNDS,
            SpelMessage.STRING_INDEX_OUT_OF_BOUNDS);

    private final LockExpressions expressions;
    private final Method method;
    private final Object[] arguments;
    private final Object target;
    private final Class<?> targetClass;

    /** Created for the first expression: most texts have none, or only refer to an argument. */
    private volatile @Nullable EvaluationContext context;

    public LockCall(
            LockExpressions expressions, Method method, Object[] arguments, Object target, Class<?> targetClass) {
        this.expressions = expressions;
        this.method = method;
        this.arguments = arguments;
        this.target = target;
        this.targetClass = targetClass;
    }

    /** Returns this call as beans of the application see it. */
    public LockedCall seen(String lockName, String client) {
        return new LockedCall(lockName, client, method, target, Arrays.asList(arguments));
    }

    @Nullable
    Object argument(int index) {
        return arguments[index];
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

    /** Returns the annotation, its method and the bean, for a message. */
    public String where() {
        return expressions.where(method, target, targetClass);
    }

    /**
     * Returns the result of an evaluation. Its exceptions name the bean, the method and the expression.
     *
     * @param part what the expression is, such as "the condition "; may be empty
     * @param advice what to do if the value is null or empty
     */
    public <T extends @Nullable Object> T evaluate(
            String part, String expression, String advice, Supplier<T> evaluation) {
        try {
            return evaluation.get();
        } catch (UnusableValueException unusable) {
            String problem = where() + ": " + part + "'" + expression + "' " + unusable.problem();
            throw unusable.isMissing()
                    ? new InvalidNameException(problem + " for this call. " + advice, null)
                    : new IllegalArgumentException(Printable.text(problem + ". " + unusable.remedy(expression)));
        } catch (EvaluationException failed) {
            String problem = where() + ": " + part + "'" + expression + "' ";
            throw isMissing(failed)
                    ? new InvalidNameException(problem + "uses a value that is missing in this call. " + advice, failed)
                    : new IllegalStateException(
                            Printable.text(problem + "cannot be evaluated: " + failed.getMessage()
                                    + ". Nothing was executed. Correct the expression"),
                            failed);
        } catch (RuntimeException thrown) { // by a method that the expression calls
            if (thrown.getSuppressed().length == 0) {
                thrown.addSuppressed(new IllegalStateException(Printable.text(
                        where() + ": thrown by " + part + "'" + expression + "'. Nothing was executed")));
            }
            throw thrown;
        }
    }

    /** Returns whether the expression failed because a part of it is null, or an index is too large. */
    private static boolean isMissing(EvaluationException failed) {
        return failed instanceof SpelEvaluationException spel
                && (MISSING.contains(spel.getMessageCode())
                        || Arrays.asList(spel.getInserts()).contains("null")
                        || Arrays.asList(spel.getInserts()).contains(null));
    }
}
