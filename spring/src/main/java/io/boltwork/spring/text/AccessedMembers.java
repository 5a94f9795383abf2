// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.text;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.LinkedHashSet;
import java.util.Set;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.ReflectionHints;

/**
 * The members that are accessed by reflection.
 *
 * @param methods fallbacks
 * @param types types whose public methods expressions may call
 * @param fields fields that expressions read
 */
public record AccessedMembers(Set<Method> methods, Set<Class<?>> types, Set<Field> fields) {

    /** Returns an empty, mutable instance. */
    public static AccessedMembers none() {
        return new AccessedMembers(new LinkedHashSet<>(), new LinkedHashSet<>(), new LinkedHashSet<>());
    }

    public boolean isEmpty() {
        return methods.isEmpty() && types.isEmpty() && fields.isEmpty();
    }

    public void addTo(ReflectionHints hints) {
        methods.forEach(method -> hints.registerMethod(method, ExecutableMode.INVOKE));
        types.forEach(type -> hints.registerType(type, MemberCategory.INVOKE_PUBLIC_METHODS));
        fields.forEach(hints::registerField);
    }
}
