// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation.text;

import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/*
 * A method has other parameter types than the method of a generic type that it overrides. The compiler adds a bridge
 * method, which is called through the generic type. A superclass may have a method that implements an interface of its
 * subclass, without knowing that interface.
 */
/** Determines which methods of a class override which others. Type parameters are resolved in that class. */
public final class MethodHierarchy {
    private MethodHierarchy() {}

    /** Returns whether a class was generated in this JVM to implement interfaces: a JDK proxy or a lambda. */
    public static boolean isGenerated(Class<?> type) {
        return Proxy.isProxyClass(type) || type.isSynthetic() && type.getName().contains("$$Lambda");
    }

    /** Returns the class that an application wrote, for one of which a framework has generated a subclass. */
    public static Class<?> userClass(Class<?> type) {
        Class<?> parent = type.getSuperclass();
        return type.getName().contains("$$") && parent != null && parent != Object.class ? parent : type;
    }

    /** Returns the class of the values of a primitive type, or the type itself. */
    public static Class<?> boxed(Class<?> type) {
        return MethodType.methodType(type).wrap().returnType();
    }

    /**
     * Returns all methods that an object of that class has, including private ones, and only the most specific of
     * overridden ones.
     */
    public static List<Method> all(Class<?> type) {
        List<Method> all = new ArrayList<>();
        List<Class<?>> types = types(type);
        if (!isGenerated(type)) {
            types.stream().filter(each -> !each.isInterface()).forEach(each -> add(each, type, all));
        }
        types.stream().filter(Class::isInterface).forEach(each -> add(each, type, all));
        return all;
    }

    private static void add(Class<?> declaring, Class<?> type, List<Method> all) {
        for (Method method : declared(declaring)) {
            if (all.stream().noneMatch(each -> overrides(each, method, type))) {
                all.add(method);
            }
        }
    }

    /** Returns the method, and those that it overrides or implements in that class, the nearest first. */
    public static List<Method> declarations(Method method, Class<?> type) {
        List<Method> all = new ArrayList<>(List.of(method));
        for (Class<?> each : types(type)) {
            if (each != method.getDeclaringClass()) {
                declared(each).stream()
                        .filter(other -> overrides(method, other, type))
                        .forEach(all::add);
            }
        }
        return all;
    }

    /** Returns whether one method overrides or implements another in that class, or is that method. */
    public static boolean overrides(Method method, Method other, Class<?> type) {
        if (!method.getName().equals(other.getName()) || method.getParameterCount() != other.getParameterCount()) {
            return false;
        }
        if (method.getDeclaringClass() == other.getDeclaringClass()) {
            return method.equals(other);
        }
        if (Modifier.isStatic(other.getModifiers()) || !isVisible(other, method.getDeclaringClass())) {
            return false;
        }
        for (int i = 0; i < method.getParameterCount(); i++) {
            if (method.getParameterTypes()[i] != other.getParameterTypes()[i]
                    && parameter(method, i, type) != parameter(other, i, type)) {
                return false;
            }
        }
        return true;
    }

    /** Returns the type of a parameter, as far as it is known in that class. */
    public static Class<?> parameter(Method method, int index, Class<?> type) {
        return DeclaredType.ofParameter(method, index, type).type();
    }

    /** Returns whether a subclass can override the method. */
    public static boolean isVisible(Method method, Class<?> subclass) {
        int modifiers = method.getModifiers();
        return Modifier.isPublic(modifiers)
                || Modifier.isProtected(modifiers)
                || !Modifier.isPrivate(modifiers)
                        && method.getDeclaringClass().getPackageName().equals(subclass.getPackageName())
                        && method.getDeclaringClass().getClassLoader() == subclass.getClassLoader();
    }

    /** Returns the methods that the source code of a class declares. */
    public static List<Method> declared(Class<?> type) {
        return Arrays.stream(type.getDeclaredMethods())
                .filter(method -> !method.isSynthetic())
                .toList();
    }

    /** Returns the class and all its supertypes except {@link Object}, each before its own supertypes. */
    private static List<Class<?>> types(Class<?> type) {
        List<Class<?>> types = new ArrayList<>();
        for (Class<?> each = type; each != null && each != Object.class; each = each.getSuperclass()) {
            addWithInterfaces(each, types);
        }
        return types;
    }

    private static void addWithInterfaces(Class<?> type, List<Class<?>> types) {
        if (!types.contains(type)) {
            int place = 0;
            while (place < types.size() && !types.get(place).isAssignableFrom(type)) {
                place++;
            }
            types.add(place, type);
            for (Class<?> each : type.getInterfaces()) {
                addWithInterfaces(each, types);
            }
        }
    }
}
