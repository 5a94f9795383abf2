// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation.text;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The names of the parameters of a class's methods, including those of the methods that they override or implement,
 * which may carry the annotation. The names are cached, because reflection copies the parameters at each query.
 * Thread-safe.
 */
public final class ParameterNames {
    private final Function<Method, @Nullable String @Nullable []> discoverer;
    private final Map<Method, List<List<String>>> known = new ConcurrentHashMap<>();
    private final Class<?> type;

    /** Prepares to look up names. The function returns those of one method; {@code null} if it has none. */
    public ParameterNames(Class<?> targetClass, Function<Method, @Nullable String @Nullable []> discoverer) {
        this.type = MethodHierarchy.userClass(targetClass);
        this.discoverer = discoverer;
    }

    /** Returns the index of the parameter with that name; negative if there is none. */
    public int indexOf(Method method, String name) {
        for (List<String> names : of(method)) {
            int index = names.indexOf(name);
            if (index >= 0) {
                return index;
            }
        }
        return -1;
    }

    /** Returns whether the name belongs to different parameters in the method and in one that it overrides. */
    public boolean isAmbiguous(Method method, String name) {
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
    public List<List<String>> of(Method method) {
        List<List<String>> names = known.get(method);
        if (names == null) {
            names = MethodHierarchy.declarations(method, type).stream()
                    .map(discoverer)
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
    public Object argument(Method method, String name, @Nullable Object[] arguments) {
        int index = indexOf(method, name);
        return index < 0 ? null : arguments[index];
    }
}
