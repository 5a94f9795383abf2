// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation.template;

import io.boltwork.annotation.text.DeclaredType;
import io.boltwork.annotation.text.KeyText;
import io.boltwork.annotation.text.UnusableValueException;
import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A property of a class: a component of a record, what a getter returns, or a public field. Immutable.
 *
 * @param reader the method or field
 * @param type the declared type
 */
record Property(AccessibleObject reader, DeclaredType type) {

    /** Returns the property of that name; {@code null} if the declared type has none. */
    static @Nullable Property find(DeclaredType declared, String name) {
        return all(present(declared)).get(name);
    }

    /** Returns the names of the properties of a declared type. */
    static List<String> names(DeclaredType declared) {
        List<String> names = new ArrayList<>(all(present(declared)).keySet());
        return names.isEmpty() ? List.of("none") : names;
    }

    /** Returns the content of an optional, which a path passes through. */
    private static DeclaredType present(DeclaredType declared) {
        return declared.raw() == Optional.class ? declared.generic(0) : declared;
    }

    private static Map<String, Property> all(DeclaredType declared) {
        Map<String, Property> all = new TreeMap<>();
        Class<?> type = declared.type();
        for (Field field : type.getFields()) {
            if (!Modifier.isStatic(field.getModifiers())) {
                add(field.getName(), field, declared.member(field.getDeclaringClass(), field.getGenericType()), all);
            }
        }
        for (Method method : type.getMethods()) {
            String name = nameOf(method);
            if (name != null) {
                Type returned = method.getGenericReturnType();
                add(name, method, declared.member(method.getDeclaringClass(), returned), all);
            }
        }
        if (type.isRecord()) {
            Arrays.stream(type.getRecordComponents())
                    .forEach(each ->
                            add(each.getName(), each.getAccessor(), declared.member(type, each.getGenericType()), all));
        }
        return all;
    }

    private static void add(String name, AccessibleObject reader, DeclaredType type, Map<String, Property> all) {
        if (reader.trySetAccessible()) {
            all.put(name, new Property(reader, type));
        }
    }

    /** Returns the name of the property that a getter returns; {@code null} if the method is no getter. */
    private static @Nullable String nameOf(Method method) {
        if (method.getParameterCount() > 0
                || method.isBridge()
                || Modifier.isStatic(method.getModifiers())
                || method.getDeclaringClass() == Object.class) {
            return null;
        }
        String name = method.getName();
        int prefix = name.startsWith("get") && method.getReturnType() != void.class
                ? 3
                : name.startsWith("is") && method.getReturnType() == boolean.class ? 2 : 0;
        if (prefix == 0 || name.length() == prefix || Character.isLowerCase(name.charAt(prefix))) {
            return null;
        }
        String rest = name.substring(prefix);
        boolean acronym = rest.length() > 1 && Character.isUpperCase(rest.charAt(1));
        return acronym ? rest : Character.toLowerCase(rest.charAt(0)) + rest.substring(1);
    }

    /** Returns the value at the end of a path; {@code null} if that is null. */
    static @Nullable Object value(@Nullable Object start, List<Property> path) {
        Object value = start;
        for (Property each : path) {
            Object owner = KeyText.present(value);
            if (owner == null) {
                throw UnusableValueException.missing("uses a value that is null");
            }
            value = each.of(owner);
        }
        return value;
    }

    private @Nullable Object of(Object owner) {
        try {
            return reader instanceof Method getter ? getter.invoke(owner) : ((Field) reader).get(owner);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof Error error) {
                throw error;
            }
            throw e.getCause() instanceof RuntimeException own ? own : new IllegalStateException(e.getCause());
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e); // it was made accessible
        }
    }
}
