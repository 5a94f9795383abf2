// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation.operation;

import io.boltwork.annotation.DistributedLock;
import io.boltwork.annotation.OnRefused;
import io.boltwork.annotation.OnUnavailable;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/*
 * An attribute that the annotation on a method omits is taken from the one on its class. Some attributes belong
 * together: a method that specifies the length of its lease takes no lease attributes from its class, and a method that
 * has a name takes no keys. A method whose class limits the number of callers may have a lock of another type.
 */
/**
 * A {@link DistributedLock} that applies to a method. Immutable.
 *
 * @param lock the annotation with all attributes, including those of the class's annotation. Its name is also what
 *     {@code value} specifies, and its value is empty, unless both are specified with different texts
 * @param text the annotation as written
 * @param declaredOn the annotated class; {@code null} if the method is annotated
 */
public record LockAnnotation(
        DistributedLock lock, String text, @Nullable Class<?> declaredOn) {
    private static final List<Method> ATTRIBUTES = List.of(DistributedLock.class.getDeclaredMethods());
    private static final List<Set<String>> TOGETHER = List.of(
            Set.of("name", "keys"),
            Set.of("leaseTime", "lease", "renewedLease"),
            Set.of("waitTime", "waitFor"),
            Set.of("type", "permits"));

    /**
     * Returns an annotation on its own.
     *
     * @param written the type of the annotation that was written, which may be a composed one
     * @param declaredOn the annotated class; {@code null} if the method is annotated
     */
    public static LockAnnotation of(DistributedLock lock, Class<?> written, @Nullable Class<?> declaredOn) {
        Map<String, Object> attributes = attributes(lock);
        if (lock.name().isEmpty() || lock.name().equals(lock.value())) {
            attributes.put("name", lock.name() + (lock.name().isEmpty() ? lock.value() : ""));
            attributes.put("value", "");
        }
        String own = "@DistributedLock" + described(attributes);
        return new LockAnnotation(
                lock(attributes),
                written == DistributedLock.class ? own : "@" + written.getSimpleName() + ", which is " + own + ",",
                declaredOn);
    }

    /** Returns this annotation of a method, with the attributes that it takes from the one of its class. */
    public LockAnnotation with(LockAnnotation ofClass) {
        Map<String, Object> attributes = attributes(lock);
        Map<String, Object> others = attributes(ofClass.lock);
        Predicate<String> isOmitted = isDefaultOf(attributes(lock));
        Predicate<String> isOmittedThere = isDefaultOf(others);
        List<String> taken = new ArrayList<>();
        for (Map.Entry<String, Object> attribute : attributes.entrySet()) {
            String name = attribute.getKey();
            if (isOmitted.test(name) && !isOmittedThere.test(name) && !isSaid(name, isOmitted)) {
                attribute.setValue(Objects.requireNonNull(others.get(name)));
                taken.add(name);
            }
        }
        if (taken.contains("fallback")
                && attributes.get("onRefused") != OnRefused.FALLBACK
                && attributes.get("onUnavailable") != OnUnavailable.FALLBACK) {
            attributes.put("fallback", new String[0]);
        }
        return taken.isEmpty()
                ? this
                : new LockAnnotation(lock(attributes), text + " with " + ofClass.text + " of the class", null);
    }

    /** Returns this annotation with the class added to its text, if a class is annotated. */
    public LockAnnotation alone() {
        return declaredOn == null ? this : new LockAnnotation(lock, text + " of " + declaredOn.getName(), declaredOn);
    }

    /**
     * Returns whether the method's annotation already specifies, by a related attribute, what this attribute of the
     * class would specify.
     */
    private static boolean isSaid(String name, Predicate<String> isOmitted) {
        return !name.equals("name") // even if the method has its own keys
                && TOGETHER.stream()
                        .filter(together -> together.contains(name))
                        .flatMap(Set::stream)
                        .anyMatch(other -> !isOmitted.test(other));
    }

    /** Returns the name and the keys as written, separated by colons. */
    String withKeys() {
        return String.join(
                ":",
                Stream.concat(Stream.of(lock.name()), Arrays.stream(lock.keys()))
                        .toList());
    }

    private static Map<String, Object> attributes(DistributedLock lock) {
        Map<String, Object> attributes = new TreeMap<>();
        for (Method each : ATTRIBUTES) {
            try {
                attributes.put(each.getName(), each.invoke(lock));
            } catch (IllegalAccessException | InvocationTargetException e) {
                throw new IllegalStateException(e); // not possible for an annotation
            }
        }
        return attributes;
    }

    private static Predicate<String> isDefaultOf(Map<String, Object> attributes) {
        return name -> ATTRIBUTES.stream()
                .filter(each -> each.getName().equals(name))
                .allMatch(each -> Objects.deepEquals(each.getDefaultValue(), attributes.get(name)));
    }

    /** Returns an annotation with these attributes. */
    private static DistributedLock lock(Map<String, Object> attributes) {
        return (DistributedLock) Proxy.newProxyInstance(
                DistributedLock.class.getClassLoader(),
                new Class<?>[] {DistributedLock.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "annotationType" -> DistributedLock.class;
                    case "equals" -> proxy == arguments[0];
                    case "hashCode" -> System.identityHashCode(proxy);
                    case "toString" -> "@DistributedLock" + described(attributes);
                    default -> attributes.get(method.getName());
                });
    }

    private static String described(Map<String, Object> attributes) {
        Predicate<String> isOmitted = isDefaultOf(attributes);
        String described = attributes.keySet().stream()
                .filter(isOmitted.negate())
                .sorted(Comparator.comparing((String name) -> !name.equals("name"))
                        .thenComparing(Comparator.naturalOrder()))
                .map(name -> name + " = " + described(attributes.get(name)))
                .collect(Collectors.joining(", "));
        return described.isEmpty() ? "" : "(" + described + ")";
    }

    private static String described(@Nullable Object value) {
        if (value instanceof String[] all) {
            return all.length == 1
                    ? described(all[0])
                    : Arrays.stream(all).map(LockAnnotation::described).collect(Collectors.joining(", ", "{", "}"));
        }
        return value instanceof String ? "\"" + value + "\"" : String.valueOf(value);
    }
}
