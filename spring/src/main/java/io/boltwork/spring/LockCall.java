package io.boltwork.spring;

import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.EvaluationContext;

/** One call of a locked method, for the texts of its annotation. Thread-safe. */
final class LockCall {
    private final LockExpressions expressions;
    private final Method method;
    private final Object[] arguments;
    private final Object target;
    private final Class<?> targetClass;

    /** Made for the first expression: most texts have none, or name an argument. */
    private volatile @Nullable EvaluationContext context;

    LockCall(LockExpressions expressions, Method method, Object[] arguments, Object target, Class<?> targetClass) {
        this.expressions = expressions;
        this.method = method;
        this.arguments = arguments;
        this.target = target;
        this.targetClass = targetClass;
    }

    @Nullable
    Object argument(int index) {
        return arguments[index];
    }

    /** What expressions are evaluated in. */
    EvaluationContext context() {
        EvaluationContext made = context;
        if (made == null) {
            made = expressions.context(method, arguments, target, targetClass);
            context = made;
        }
        return made;
    }
}
