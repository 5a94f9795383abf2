// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation.text;

import java.lang.reflect.Method;
import java.util.Date;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Methods that an expression calls, whose results may differ for equal values. */
public final class KeyCalls {
    private static final Set<String> HASHES = Set.of("hash", "hashCode", "identityHashCode");
    private static final Set<Class<?>> OF_ANY_VALUE = Set.of(Object.class, Object[].class, Iterable.class);

    private KeyCalls() {}

    /**
     * Returns the problem with a call; {@code null} if none is known.
     *
     * @param owner the class of the object; {@code null} if it is not known
     * @param arguments the classes of the arguments; {@code null} for each that is not known
     */
    public static @Nullable UnusableValueException problem(
            Method method, @Nullable Class<?> owner, List<@Nullable Class<?>> arguments) {
        UnusableValueException problem = ofValue(method, method.getParameterCount() == 0 ? owner : null);
        for (int i = 0; i < arguments.size() && problem == null && isOfJdk(method); i++) {
            problem = readsAnyValue(method, i) ? ofValue(method, arguments.get(i)) : null;
        }
        return problem;
    }

    private static @Nullable UnusableValueException ofValue(Method method, @Nullable Class<?> type) {
        if (type == null) {
            return null;
        }
        if (isHash(method)) {
            return isHashedByIdentity(type) ? ofIdentity(type) : null;
        }
        if (!isText(method)) {
            return null;
        }
        if (KeyTypes.isUnordered(type)) {
            return KeyTypes.unordered(false);
        }
        return Date.class.isAssignableFrom(type) && KeyTypes.isInstant(type) ? ofZone() : null;
    }

    private static boolean isHash(Method method) {
        return method.getParameterCount() == 0
                ? method.getName().equals("hashCode")
                : isOfJdk(method) && HASHES.contains(method.getName());
    }

    /** Returns whether a call turns its object into text, and its arguments if it is a method of the JDK. */
    public static boolean isText(Method method) {
        return method.getReturnType() == String.class && (method.getName().equals("toString") || isOfJdk(method));
    }

    /** Returns whether a method turns any value that is passed there into text or into a hash code. */
    public static boolean readsAnyValue(Method method, int argument) {
        int last = method.getParameterCount() - 1;
        return OF_ANY_VALUE.contains(method.getParameterTypes()[Math.min(argument, last)]);
    }

    private static boolean isOfJdk(Method method) {
        return method.getDeclaringClass().getName().startsWith("java.");
    }

    private static boolean isHashedByIdentity(Class<?> type) {
        try {
            Class<?> declaring = type.getMethod("hashCode").getDeclaringClass();
            return type != Object.class && (declaring == Object.class || declaring == Enum.class);
        } catch (NoSuchMethodException e) {
            return false; // an interface
        }
    }

    private static UnusableValueException ofIdentity(Class<?> type) {
        return UnusableValueException.wrong(
                "uses the hash code of a " + type.getTypeName()
                        + ", which differs for equal values or in each JVM, so that they could use different locks",
                expression -> "Use a property that identifies it, such as its id.");
    }

    private static UnusableValueException ofZone() {
        return UnusableValueException.wrong(
                "depends on the time zone of the JVM, so that equal values could use different locks",
                expression -> "Use the date itself, or its time in milliseconds.");
    }
}
