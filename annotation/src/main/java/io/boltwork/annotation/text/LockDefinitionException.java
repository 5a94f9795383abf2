// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation.text;

import io.boltwork.spi.Printable;
import java.lang.reflect.Method;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** An annotation that cannot work: its location, the problem, and the remedy. */
public final class LockDefinitionException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String where;
    private final String problem;
    private final String action;

    /** The annotation as written; {@code null} if not known yet. */
    private final @Nullable String annotation;

    public LockDefinitionException(String where, String problem, String action, @Nullable Throwable cause) {
        this(null, where, problem, action, cause);
    }

    private LockDefinitionException(
            @Nullable String annotation, String where, String problem, String action, @Nullable Throwable cause) {
        super(
                Printable.text(
                        (annotation == null ? "@DistributedLock" : annotation) + " on " + where + ": " + problem),
                cause);
        this.annotation = annotation;
        this.where = where;
        this.problem = problem;
        this.action = action;
    }

    /**
     * Returns the exception for a mistake in a method's annotation.
     *
     * @param problem a sentence about the annotation, without a full stop
     * @param action the remedy, as sentences
     */
    public static LockDefinitionException wrong(
            Method method, String problem, String action, @Nullable Throwable cause) {
        return new LockDefinitionException(where(method), problem, action, cause);
    }

    /** Returns a method in readable form. */
    public static String where(Method method) {
        return method.getDeclaringClass().getName() + "." + method.getName() + "("
                + String.join(
                        ", ",
                        Arrays.stream(method.getParameterTypes())
                                .map(Class::getSimpleName)
                                .toList())
                + ")";
    }

    /** Returns this exception with the annotation as written added. */
    public LockDefinitionException of(String text) {
        return annotation != null ? this : copy(text, where);
    }

    /** Returns this exception with the name of a bean that has the method added. */
    public LockDefinitionException in(String bean) {
        return copy(annotation, where + " of the bean '" + bean + "'");
    }

    private LockDefinitionException copy(@Nullable String text, String place) {
        LockDefinitionException copy = new LockDefinitionException(text, place, problem, action, getCause());
        copy.setStackTrace(getStackTrace());
        return copy;
    }

    public String action() {
        return action;
    }
}
