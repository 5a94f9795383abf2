// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.TypeVariable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.util.ClassUtils;

/**
 * The names of a method's parameters, including those of the methods that it overrides or implements, which may carry
 * the annotation. The names are cached, because reflection copies the parameters at each query. Thread-safe.
 */
final class ParameterNames {
    private final ParameterNameDiscoverer discoverer = new DefaultParameterNameDiscoverer();
    private final Map<Method, List<List<String>>> known = new ConcurrentHashMap<>();

    /** Returns the index of the parameter with that name; negative if there is none. */
    int indexOf(Method method, String name) {
        for (List<String> names : of(method)) {
            int index = names.indexOf(name);
            if (index >= 0) {
                return index;
            }
        }
        return -1;
    }

    /**
     * Returns the names of the method's parameters first, then those of the overridden methods; empty if no compiled
     * class contains names.
     */
    List<List<String>> of(Method method) {
        List<List<String>> names = known.get(method);
        if (names == null) {
            names = declarations(method).stream()
                    .map(discoverer::getParameterNames)
                    .filter(found -> found != null)
                    .map(found -> Arrays.asList(found))
                    .distinct()
                    .toList();
            known.put(method, names);
        }
        return names;
    }

    /** Returns the method, and those that it overrides or implements. */
    static List<Method> declarations(Method method) {
        List<Method> all = new ArrayList<>(List.of(method));
        for (Class<?> type = method.getDeclaringClass().getSuperclass(); type != null; type = type.getSuperclass()) {
            addOverridden(method, type, all);
        }
        for (Class<?> type : ClassUtils.getAllInterfacesForClassAsSet(method.getDeclaringClass())) {
            if (type != method.getDeclaringClass()) {
                addOverridden(method, type, all);
            }
        }
        return all;
    }

    private static void addOverridden(Method method, Class<?> type, List<Method> all) {
        for (Method each : type.getDeclaredMethods()) {
            if (each.getName().equals(method.getName())
                    && !each.isSynthetic()
                    && !Modifier.isPrivate(each.getModifiers())
                    && !Modifier.isStatic(each.getModifiers())
                    && isOverridden(each, method.getParameterTypes())) {
                all.add(each);
            }
        }
    }

    private static boolean isOverridden(Method method, Class<?>[] by) {
        Class<?>[] types = method.getParameterTypes();
        if (types.length != by.length) {
            return false;
        }
        for (int i = 0; i < types.length; i++) {
            boolean open = method.getGenericParameterTypes()[i] instanceof TypeVariable;
            if (types[i] != by[i] && !(open && types[i].isAssignableFrom(by[i]))) {
                return false;
            }
        }
        return true;
    }

    /** Returns the argument that an expression's variable refers to; {@code null} if it refers to none. */
    @Nullable
    Object argument(Method method, String name, @Nullable Object[] arguments) {
        int index = indexOf(method, name);
        return index < 0 ? null : arguments[index];
    }
}
