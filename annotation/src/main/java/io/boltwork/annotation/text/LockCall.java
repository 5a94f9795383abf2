// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation.text;

import io.boltwork.InvalidNameException;
import io.boltwork.annotation.LockedCall;
import io.boltwork.spi.Printable;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One call of a locked method, for evaluating the texts of its annotation. A framework extends it with what its
 * language needs. Thread-safe.
 */
public abstract class LockCall {
    protected final Method method;
    protected final Object[] arguments;
    protected final Object target;

    /**
     * Creates a call.
     *
     * @param method the most specific method
     * @param target the bean, without proxy
     */
    protected LockCall(Method method, Object[] arguments, Object target) {
        this.method = method;
        this.arguments = arguments;
        this.target = target;
    }

    /** Returns this call as beans of the application see it. */
    public LockedCall seen(String lockName, String client) {
        return new LockedCall(lockName, client, method, target, Arrays.asList(arguments));
    }

    /** Returns the called method, the most specific one. */
    public Method method() {
        return method;
    }

    @Nullable
    public Object argument(int index) {
        return arguments[index];
    }

    /** Returns the annotation, its method and the bean, for a message. */
    public abstract String where();

    /**
     * Returns the exception for one that the framework's language has thrown; {@code null} if it has not.
     *
     * @param problem the beginning of a sentence about the expression, which ends with a space
     * @param advice what to do if the value is null or empty
     */
    protected abstract @Nullable RuntimeException explained(RuntimeException thrown, String problem, String advice);

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
        } catch (RuntimeException thrown) {
            RuntimeException explained = explained(thrown, where() + ": " + part + "'" + expression + "' ", advice);
            if (explained != null) {
                throw explained;
            }
            if (thrown.getSuppressed().length == 0) { // by a method that the expression calls
                thrown.addSuppressed(new IllegalStateException(Printable.text(
                        where() + ": thrown by " + part + "'" + expression + "'. Nothing was executed")));
            }
            throw thrown;
        }
    }
}
