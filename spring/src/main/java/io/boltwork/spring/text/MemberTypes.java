// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.text;

import io.boltwork.annotation.text.UnusableValueException;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;
import org.springframework.expression.spel.support.ReflectivePropertyAccessor;
import org.springframework.util.ClassUtils;

/** Finds the types of properties, methods and elements, as expressions access them. */
final class MemberTypes {
    private static final Accessor ACCESSOR = new Accessor();

    private final Class<?> target;
    private final AccessedMembers found;

    /**
     * Prepares to look for members.
     *
     * @param target the class of {@code #root.target}
     * @param found receives what expressions access by reflection
     */
    MemberTypes(Class<?> target, AccessedMembers found) {
        this.target = target;
        this.found = found;
    }

    /** Finds properties by the rules of SpEL. */
    private static final class Accessor extends ReflectivePropertyAccessor {
        @Nullable
        Method getter(Class<?> type, String name, boolean isStatic) {
            return findGetterForProperty(name, type, isStatic);
        }

        @Nullable
        Field field(Class<?> type, String name, boolean isStatic) {
            return findField(name, type, isStatic);
        }
    }

    /** Returns the type; {@code null} if it is not known. */
    static @Nullable ResolvableType known(ResolvableType type) {
        return type.resolve() == null ? null : type;
    }

    /** Returns whether a value that is declared with this type may have members that the type does not have. */
    static boolean isOpen(Class<?> type) {
        return type == Object.class
                || !type.isPrimitive()
                        && !type.isArray()
                        && (type.isInterface() || Modifier.isAbstract(type.getModifiers()));
    }

    /**
     * Returns the type of a property.
     *
     * @param mistakes receives the problem if no value of the owner's type can have the property
     */
    @Nullable
    ResolvableType property(ResolvableType owner, String name, Consumer<UnusableValueException> mistakes) {
        Class<?> type = ClassUtils.resolvePrimitiveIfNecessary(owner.resolve(Object.class));
        if (type == LockExpressionRoot.class && name.equals("target")) {
            return ResolvableType.forClass(target);
        }
        if (type.isArray() && name.equals("length")) {
            return ResolvableType.forClass(int.class);
        }
        Class<?> described = type == Class.class ? owner.getGeneric(0).resolve() : null;
        ResolvableType found = described == null ? null : property(ResolvableType.forClass(described), name, true);
        if (found == null) {
            found = property(owner, name, false);
        }
        boolean unknown = type == Class.class
                ? described == null
                : isOpen(type) && type != List.class && type != Set.class && type != Map.class;
        if (found == null && !unknown) {
            Class<?> searched = described == null ? type : described;
            mistakes.accept(UnusableValueException.wrong(
                    "uses the property '" + name + "', which " + searched.getTypeName() + " does not have",
                    part -> advice(searched, name)));
        }
        return found == null ? null : known(found);
    }

    private static String advice(Class<?> type, String name) {
        if (Map.class.isAssignableFrom(type)) {
            return "Write ['" + name + "'] for an entry of the map.";
        }
        return "Use a public property, field or method that it has.";
    }

    private @Nullable ResolvableType property(ResolvableType owner, String name, boolean isStatic) {
        Class<?> type = ClassUtils.resolvePrimitiveIfNecessary(owner.resolve(Object.class));
        Method getter = ACCESSOR.getter(type, name, isStatic);
        if (getter == null && type.isInterface()) {
            getter = ACCESSOR.getter(Object.class, name, isStatic);
        }
        if (getter != null) {
            return returned(owner, getter);
        }
        Field field = ACCESSOR.field(type, name, isStatic);
        if (field == null) {
            return null;
        }
        found.fields().add(field);
        return ResolvableType.forField(field, owner);
    }

    /**
     * Returns the method that a call refers to; {@code null} if it is not known.
     *
     * @param mistakes receives the problem if no value of the owner's type can have the method
     */
    @Nullable
    Method method(
            ResolvableType owner,
            String name,
            List<@Nullable ResolvableType> arguments,
            Consumer<UnusableValueException> mistakes) {
        Class<?> type = ClassUtils.resolvePrimitiveIfNecessary(owner.resolve(Object.class));
        Class<?> described = type == Class.class ? owner.getGeneric(0).resolve() : null;
        List<Method> all = methods(type, described)
                .filter(each -> each.getName().equals(name) && !each.isBridge())
                .toList();
        List<Method> fitting = all.stream()
                .filter(each -> each.getParameterCount() == arguments.size()
                        || each.isVarArgs() && each.getParameterCount() <= arguments.size() + 1)
                .toList();
        boolean unknown = type == Class.class ? described == null : isOpen(type);
        if (fitting.isEmpty() && !unknown) {
            Class<?> searched = described == null ? type : described;
            mistakes.accept(UnusableValueException.wrong(
                    "calls the method '" + name + "', which " + searched.getTypeName()
                            + (all.isEmpty()
                                    ? " does not have"
                                    : " does not have with " + arguments.size() + " parameters"),
                    part -> "Call a public method that it has."));
        }
        List<Method> exact =
                fitting.stream().filter(each -> accepts(each, arguments)).toList();
        List<Method> best = exact.isEmpty() ? fitting : exact;
        return best.stream().map(Method::getReturnType).distinct().count() == 1 ? best.get(0) : null;
    }

    private static Stream<Method> methods(Class<?> type, @Nullable Class<?> described) {
        Stream<Method> own = Arrays.stream(type.getMethods());
        if (type.isInterface()) {
            own = Stream.concat(own, Arrays.stream(Object.class.getMethods()));
        }
        return described == null
                ? own
                : Stream.concat(
                        Arrays.stream(described.getMethods()).filter(each -> Modifier.isStatic(each.getModifiers())),
                        own);
    }

    private static boolean accepts(Method method, List<@Nullable ResolvableType> arguments) {
        Class<?>[] types = method.getParameterTypes();
        if (types.length != arguments.size()) {
            return false;
        }
        for (int i = 0; i < types.length; i++) {
            ResolvableType argument = arguments.get(i);
            Class<?> given = argument == null ? null : argument.resolve();
            if (given != null && !ClassUtils.isAssignable(types[i], given)) {
                return false;
            }
        }
        return true;
    }

    /** Returns the type that a method of this owner returns. */
    @Nullable
    ResolvableType returned(ResolvableType owner, Method called) {
        Class<?> type = ClassUtils.resolvePrimitiveIfNecessary(owner.resolve(Object.class));
        found.types().add(Modifier.isStatic(called.getModifiers()) ? called.getDeclaringClass() : type);
        ResolvableType declaring = owner.as(called.getDeclaringClass());
        return known(
                declaring == ResolvableType.NONE
                        ? ResolvableType.forMethodReturnType(called)
                        : ResolvableType.forType(called.getGenericReturnType(), declaring));
    }

    /** Returns the type of the elements of an array or a collection, or of the entries or values of a map. */
    static @Nullable ResolvableType element(ResolvableType owner, boolean entries) {
        Class<?> type = owner.resolve(Object.class);
        if (type.isArray()) {
            return known(owner.getComponentType());
        }
        if (Map.class.isAssignableFrom(type)) {
            return entries
                    ? ResolvableType.forClass(Map.Entry.class)
                    : known(owner.as(Map.class).getGeneric(1));
        }
        if (Collection.class.isAssignableFrom(type)) {
            return known(owner.as(Collection.class).getGeneric(0));
        }
        return CharSequence.class.isAssignableFrom(type) && !entries ? ResolvableType.forClass(String.class) : null;
    }
}
