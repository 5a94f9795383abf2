// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation.text;

import java.lang.reflect.GenericArrayType;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A type as it is declared, with its type parameters as far as they are known. Immutable.
 *
 * @param raw the class; {@code null} if it is not known
 * @param generics the types of its type parameters, or the one of an array's elements
 */
public record DeclaredType(@Nullable Class<?> raw, List<DeclaredType> generics) {
    private static final DeclaredType UNKNOWN = new DeclaredType(null, List.of());

    /** Returns a type with no other type parameters than those that it extends. */
    public static DeclaredType of(Class<?> type) {
        return resolved(type, Map.of());
    }

    /** Returns the type of a parameter, as far as it is known in that class. */
    public static DeclaredType ofParameter(Method method, int index, Class<?> targetClass) {
        return of(MethodHierarchy.userClass(targetClass))
                .member(method.getDeclaringClass(), method.getGenericParameterTypes()[index]);
    }

    /** Returns the type of a method's result, as far as it is known in that class; of a coroutine, that of its end. */
    public static DeclaredType returned(Method method, Class<?> targetClass) {
        return isSuspending(method)
                ? ofParameter(method, method.getParameterCount() - 1, targetClass)
                        .generic(0)
                : of(MethodHierarchy.userClass(targetClass))
                        .member(method.getDeclaringClass(), method.getGenericReturnType());
    }

    /** Returns whether the method is a Kotlin {@code suspend} function. */
    public static boolean isSuspending(Method method) {
        Class<?>[] parameters = method.getParameterTypes();
        return parameters.length > 0
                && parameters[parameters.length - 1].getName().equals("kotlin.coroutines.Continuation");
    }

    /** Returns the class; {@code Object} if it is not known. */
    public Class<?> type() {
        return raw == null ? Object.class : raw;
    }

    /** Returns one of the type parameters, or an unknown type. */
    public DeclaredType generic(int index) {
        return index < generics.size() ? generics.get(index) : UNKNOWN;
    }

    /** Returns the type of a member that a class declares, as it is known in this subclass. */
    public DeclaredType member(Class<?> declaring, Type type) {
        return resolved(type, as(declaring).variables());
    }

    /** Returns this type as one of its supertypes; an unknown type if it is none. */
    public DeclaredType as(Class<?> supertype) {
        if (raw == null || raw == supertype) {
            return raw == null ? UNKNOWN : this;
        }
        Stream<Type> supertypes =
                Stream.concat(Stream.ofNullable(raw.getGenericSuperclass()), Arrays.stream(raw.getGenericInterfaces()));
        return supertypes
                .map(each -> resolved(each, variables()))
                .filter(each -> supertype.isAssignableFrom(each.type()))
                .findFirst()
                .map(each -> each.as(supertype))
                .orElse(UNKNOWN);
    }

    private Map<TypeVariable<?>, DeclaredType> variables() {
        Map<TypeVariable<?>, DeclaredType> variables = new HashMap<>();
        TypeVariable<?>[] parameters = type().getTypeParameters();
        for (int i = 0; i < parameters.length; i++) {
            variables.put(parameters[i], generic(i));
        }
        return variables;
    }

    private static DeclaredType resolved(Type type, Map<TypeVariable<?>, DeclaredType> variables) {
        if (type instanceof Class<?> known) {
            return new DeclaredType(
                    known,
                    known.isArray()
                            ? List.of(resolved(known.getComponentType(), variables))
                            : all(known.getTypeParameters(), variables));
        }
        if (type instanceof ParameterizedType known) {
            return new DeclaredType((Class<?>) known.getRawType(), all(known.getActualTypeArguments(), variables));
        }
        if (type instanceof GenericArrayType array) {
            DeclaredType element = resolved(array.getGenericComponentType(), variables);
            return new DeclaredType(element.type().arrayType(), List.of(element));
        }
        if (type instanceof WildcardType wildcard) {
            Type[] lower = wildcard.getLowerBounds();
            return bound(lower.length > 0 ? lower[0] : wildcard.getUpperBounds()[0], variables);
        }
        TypeVariable<?> variable = (TypeVariable<?>) type;
        DeclaredType known = variables.get(variable);
        if (known != null) {
            return known;
        }
        Map<TypeVariable<?>, DeclaredType> inside = new HashMap<>(variables);
        inside.put(variable, UNKNOWN); // T extends Comparable<T>
        return bound(variable.getBounds()[0], inside);
    }

    private static DeclaredType bound(Type bound, Map<TypeVariable<?>, DeclaredType> variables) {
        return bound == Object.class ? UNKNOWN : resolved(bound, variables);
    }

    private static List<DeclaredType> all(Type[] types, Map<TypeVariable<?>, DeclaredType> variables) {
        return Arrays.stream(types).map(each -> resolved(each, variables)).toList();
    }
}
