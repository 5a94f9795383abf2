// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.text;

import java.lang.reflect.Method;

/**
 * The object that {@code #root} refers to in expressions. Public only because expressions access it.
 *
 * @since 0.1.0
 */
public final class LockExpressionRoot {
    private final Method method;
    private final Object[] args;
    private final Object target;
    private final Class<?> targetClass;

    LockExpressionRoot(Method method, Object[] args, Object target, Class<?> targetClass) {
        this.method = method;
        this.args = args;
        this.target = target;
        this.targetClass = targetClass;
    }

    /**
     * Returns the method that was called.
     *
     * @return the method
     */
    public Method getMethod() {
        return method;
    }

    /**
     * Returns the name of the method.
     *
     * @return the name
     */
    public String getMethodName() {
        return method.getName();
    }

    /**
     * Returns a copy of the arguments.
     *
     * @return the arguments, in order
     */
    public Object[] getArgs() {
        return args.clone();
    }

    /**
     * Returns the object whose method was called.
     *
     * @return the bean itself, not a proxy
     */
    public Object getTarget() {
        return target;
    }

    /**
     * Returns the class of the target object.
     *
     * @return the class
     */
    public Class<?> getTargetClass() {
        return targetClass;
    }
}
