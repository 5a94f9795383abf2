// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring;

import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.EvaluationContext;

/** One call of a locked method, for evaluating the texts of its annotation. Thread-safe. */
final class LockCall {
    private final LockExpressions expressions;
    private final Method method;
    private final Object[] arguments;
    private final Object target;
    private final Class<?> targetClass;

    /** Created for the first expression: most texts have none, or only refer to an argument. */
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

    /** Returns the context in which expressions are evaluated. */
    EvaluationContext context() {
        EvaluationContext made = context;
        if (made == null) {
            made = expressions.context(method, arguments, target, targetClass);
            context = made;
        }
        return made;
    }
}
