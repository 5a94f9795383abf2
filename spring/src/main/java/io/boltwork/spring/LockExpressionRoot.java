package io.boltwork.spring;

import java.lang.reflect.Method;

/** What {@code #root} is in expressions. Public for the expressions' sake. */
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
     * The method that was called.
     *
     * @return the method
     */
    public Method getMethod() {
        return method;
    }

    /**
     * The method's name.
     *
     * @return the name
     */
    public String getMethodName() {
        return method.getName();
    }

    /**
     * The arguments.
     *
     * @return in their order
     */
    public Object[] getArgs() {
        return args.clone();
    }

    /**
     * The object whose method was called.
     *
     * @return the bean itself, no proxy
     */
    public Object getTarget() {
        return target;
    }

    /**
     * The class of that object.
     *
     * @return the class
     */
    public Class<?> getTargetClass() {
        return targetClass;
    }
}
