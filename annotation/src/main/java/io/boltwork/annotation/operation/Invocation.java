// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation.operation;

import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;

/** One call of a method, as a framework has intercepted it. */
public interface Invocation {

    /** Returns the arguments of the call. */
    Object[] arguments();

    /**
     * Executes the method with these arguments and returns its result. If the result comes later, this may be called
     * from any thread, after the interceptor has returned, and, for a publisher, once for each subscriber.
     */
    @Nullable
    Object proceed(Object[] arguments) throws Throwable;

    /**
     * Calls a fallback and returns its result. The call goes through the bean's proxy if possible, so that the
     * fallback's own interceptors apply.
     *
     * @param moved whether another interceptor has {@linkplain #isMoved moved} this call: the fallback must stay there
     */
    @Nullable
    Object fallback(Method fallback, Object[] arguments, boolean moved) throws Throwable;

    /** Returns whether another interceptor has moved the call to an executor, whose thread may therefore wait. */
    default boolean isMoved() {
        return false;
    }

    /**
     * Returns whether the application is ending and the method has no caller that needs to know that it was not
     * executed. Asked when that has ended the wait for a lock.
     *
     * @param method the most specific method
     */
    default boolean isUnnoticed(Method method) {
        return false;
    }
}
