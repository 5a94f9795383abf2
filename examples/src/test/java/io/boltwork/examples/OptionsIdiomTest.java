// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Public types of options speak one idiom: {@code X.defaults()}, {@code withY(value)}, {@code y()}. */
class OptionsIdiomTest {
    private static final Path ROOT = Path.of("..");
    private static final Path SOURCES = Path.of("src", "main", "java");

    private static final List<String> PUBLISHED = List.of(
            "core",
            "quorum",
            "store",
            "redis",
            "jdbc",
            "zookeeper",
            "etcd",
            "testkit",
            "contract",
            "reactive",
            "annotation",
            "spring");

    private static final Set<String> OF_OBJECT = Set.of("equals", "hashCode", "toString");

    @Test
    void eachTypeOfOptionsFollowsTheIdiom() throws Exception {
        List<Class<?>> types = types();
        assertThat(types)
                .extracting(Class::getSimpleName)
                .contains(
                        "ClientOptions",
                        "EtcdOptions",
                        "JdbcOptions",
                        "LockOptions",
                        "QuorumOptions",
                        "RedisOptions",
                        "ZooKeeperOptions");
        assertThat(types.stream().flatMap(type -> deviations(type).stream()))
                .containsExactlyInAnyOrder(
                        // names that applications compile against
                        "RedisOptions.keyPrefix sets, but is not named withX",
                        "QuorumOptions.longestLease sets, but is not named withX",
                        // secrets, which nothing reads back
                        "RedisOptions.withCredentials has no credentials()",
                        "RedisOptions.withCredentials has no credentials()",
                        "RedisOptions.withSentinelCredentials has no sentinelCredentials()",
                        "RedisOptions.withSentinelCredentials has no sentinelCredentials()",
                        "RedisOptions.withSentinelCredentials has no sentinelCredentials()",
                        "ZooKeeperOptions.withDigest has no digest()",
                        "EtcdOptions.withCredentials has no credentials()",
                        // the two kinds of a lease are read by lease() and isRenewed()
                        "LockOptions.withRenewedLease has no renewedLease()",
                        "LockOptions.withFixedLease has no fixedLease()");
    }

    @Test
    void deviationsAreFound() {
        assertThat(deviations(WrongOptions.class))
                .containsExactlyInAnyOrder(
                        "WrongOptions has no defaults()",
                        "WrongOptions has a public constructor",
                        "WrongOptions.name is not final",
                        "WrongOptions.name sets, but is not named withX",
                        "WrongOptions.withHidden has no hidden()",
                        "WrongOptions.withLength has another type than length()",
                        "WrongOptions.withNothing has no value",
                        "WrongOptions.setName is neither withX nor an accessor",
                        "WrongOptions.getName is neither withX nor an accessor");
    }

    /** Returns the public types whose names end in Options, in the main sources of published modules. */
    private static List<Class<?>> types() throws IOException, ClassNotFoundException {
        List<Class<?>> types = new ArrayList<>();
        for (String module : PUBLISHED) {
            Path sources = ROOT.resolve(module).resolve(SOURCES);
            try (Stream<Path> files = Files.walk(sources)) {
                for (Path file : files.filter(path -> path.toString().endsWith("Options.java"))
                        .toList()) {
                    String path = sources.relativize(file).toString();
                    Class<?> type = Class.forName(
                            path.substring(0, path.length() - ".java".length()).replace('/', '.'));
                    if (Modifier.isPublic(type.getModifiers())) {
                        types.add(type);
                    }
                }
            }
        }
        return types;
    }

    private static List<String> deviations(Class<?> type) {
        List<String> found = new ArrayList<>();
        String name = type.getSimpleName();
        Method defaults = method(type, "defaults");
        if (defaults == null || !Modifier.isStatic(defaults.getModifiers()) || defaults.getReturnType() != type) {
            found.add(name + " has no defaults()");
        }
        if (type.getConstructors().length > 0) {
            found.add(name + " has a public constructor");
        }
        for (Field field : type.getDeclaredFields()) {
            if (!Modifier.isFinal(field.getModifiers()) && !field.isSynthetic()) {
                found.add(name + "." + field.getName() + " is not final");
            }
        }
        for (Method method : type.getDeclaredMethods()) {
            boolean instance = Modifier.isPublic(method.getModifiers()) && !Modifier.isStatic(method.getModifiers());
            if (instance && !method.isSynthetic() && !OF_OBJECT.contains(method.getName())) {
                deviation(method).ifPresent(text -> found.add(name + "." + method.getName() + " " + text));
            }
        }
        return found;
    }

    private static Optional<String> deviation(Method method) {
        String name = method.getName();
        if (method.getReturnType() != method.getDeclaringClass()) {
            boolean accessor = method.getParameterCount() == 0
                    && method.getReturnType() != void.class
                    && !name.matches("(with|get|set)[A-Z].*");
            return accessor ? Optional.empty() : Optional.of("is neither withX nor an accessor");
        }
        if (!name.matches("with[A-Z].*")) {
            return Optional.of("sets, but is not named withX");
        }
        if (method.getParameterCount() == 0) {
            return Optional.of("has no value");
        }
        String option = Character.toLowerCase(name.charAt(4)) + name.substring(5);
        Method accessor = method(method.getDeclaringClass(), option);
        if (accessor == null || accessor.getReturnType() == method.getDeclaringClass()) {
            return Optional.of("has no " + option + "()");
        }
        Type[] values = method.getGenericParameterTypes();
        String read = accessor.getGenericReturnType().getTypeName();
        boolean same = values.length > 1
                || read.equals(values[0].getTypeName())
                || read.equals(Optional.class.getName() + "<" + values[0].getTypeName() + ">");
        return same ? Optional.empty() : Optional.of("has another type than " + option + "()");
    }

    /** Returns the public method without parameters that has a name, or {@code null} if there is none. */
    private static @Nullable Method method(Class<?> type, String name) {
        return Arrays.stream(type.getMethods())
                .filter(method -> method.getName().equals(name) && method.getParameterCount() == 0)
                .findFirst()
                .orElse(null);
    }

    /** Options with each deviation. */
    public static final class WrongOptions {
        private String name = "";

        public WrongOptions() {}

        public WrongOptions name(String newName) {
            return this;
        }

        public WrongOptions withHidden(String value) {
            return this;
        }

        public WrongOptions withLength(String value) {
            return this;
        }

        public int length() {
            return name.length();
        }

        public WrongOptions withNothing() {
            return this;
        }

        public void setName(String newName) {
            name = newName;
        }

        public String getName() {
            return name;
        }
    }
}
