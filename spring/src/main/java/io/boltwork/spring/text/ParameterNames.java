// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.text;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.util.ClassUtils;

/**
 * The names of the parameters of a class's methods, including those of the methods that they override or implement,
 * which may carry the annotation. The names are cached, because reflection copies the parameters at each query.
 * Thread-safe.
 */
public final class ParameterNames {
    private final ParameterNameDiscoverer discoverer = new DefaultParameterNameDiscoverer();
    private final Map<Method, List<List<String>>> known = new ConcurrentHashMap<>();
    private final Class<?> type;

    public ParameterNames(Class<?> targetClass) {
        this.type = ClassUtils.getUserClass(targetClass);
    }

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

    /** Returns whether the name belongs to different parameters in the method and in one that it overrides. */
    boolean isAmbiguous(Method method, String name) {
        return of(method).stream()
                        .map(names -> names.indexOf(name))
                        .filter(index -> index >= 0)
                        .distinct()
                        .count()
                > 1;
    }

    /**
     * Returns the names of the method's parameters first, then those of the overridden methods; empty if no compiled
     * class contains names.
     */
    List<List<String>> of(Method method) {
        List<List<String>> names = known.get(method);
        if (names == null) {
            names = MethodHierarchy.declarations(method, type).stream()
                    .map(discoverer::getParameterNames)
                    .filter(found -> found != null)
                    .map(found -> Arrays.asList(found))
                    .distinct()
                    .toList();
            known.put(method, names);
        }
        return names;
    }

    /** Returns the argument that an expression's variable refers to; {@code null} if it refers to none. */
    @Nullable
    Object argument(Method method, String name, @Nullable Object[] arguments) {
        int index = indexOf(method, name);
        return index < 0 ? null : arguments[index];
    }
}
