// SPDX-License-Identifier: Apache-2.0
package io.boltwork;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.lang.reflect.Constructor;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The texts of all public records of a module have no control characters, whatever their components are. */
abstract class PrintableRecords {

    private static final Set<String> INTERNAL = Set.of("io.boltwork.engine", "io.boltwork.machine");
    private static final String NAME = "a\n\r\u001b[31m\u202e";
    private static final String ESCAPED = "a\\u000a\\u000d\\u001b[31m\\u202e";

    static Stream<Class<?>> records() {
        return new ClassFileImporter()
                        .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                        .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_JARS)
                        .importPackages("io.boltwork")
                        .stream()
                        .filter(JavaClass::isRecord)
                        .filter(type -> INTERNAL.stream().noneMatch(type.getPackageName()::startsWith))
                        .filter(type -> type.getModifiers().contains(JavaModifier.PUBLIC))
                        .map(JavaClass::reflect);
    }

    @ParameterizedTest
    @MethodSource("records")
    void textsHaveNoControlCharacters(Class<?> type) throws ReflectiveOperationException {
        String text = make(type).toString();
        assertThat(text).doesNotContainPattern("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}&&[^\\n]]");
        if (!type.equals(LockInfo.class)) { // one line per waiter
            assertThat(text).doesNotContain("\n");
        }
        if (text.startsWith(type.getSimpleName() + "[")) { // every component, so that a new one is checked too
            assertThat(text)
                    .contains(Stream.of(type.getRecordComponents())
                            .map(component -> component.getName() + "=")
                            .toList());
        }
        boolean named = Stream.of(type.getRecordComponents())
                .anyMatch(component -> component.getType().equals(String.class));
        if (named) {
            assertThat(text).contains(ESCAPED);
        }
    }

    private static Object make(Class<?> type) throws ReflectiveOperationException {
        RecordComponent[] components = type.getRecordComponents();
        Class<?>[] types = new Class<?>[components.length];
        Object[] values = new Object[components.length];
        for (int i = 0; i < components.length; i++) {
            types[i] = components[i].getType();
            values[i] = value(components[i].getGenericType());
        }
        Constructor<?> constructor = type.getDeclaredConstructor(types);
        constructor.setAccessible(true);
        return constructor.newInstance(values);
    }

    private static Object value(Type wanted) throws ReflectiveOperationException {
        if (wanted instanceof ParameterizedType container) {
            Object element = value(container.getActualTypeArguments()[0]);
            Type raw = container.getRawType();
            return raw.equals(List.class)
                    ? List.of(element)
                    : raw.equals(Set.class) ? Set.of(element) : Optional.of(element);
        } else if (wanted instanceof TypeVariable<?>) {
            return NAME;
        }
        Class<?> type = (Class<?>) wanted;
        if (type.equals(String.class)) {
            return NAME;
        } else if (type.equals(long.class) || type.equals(Long.class)) {
            return 1L;
        } else if (type.equals(int.class)) {
            return 1;
        } else if (type.equals(boolean.class)) {
            return false;
        } else if (type.equals(OptionalLong.class)) {
            return OptionalLong.of(1);
        } else if (type.equals(Duration.class)) {
            return Duration.ofMillis(1);
        } else if (type.equals(Instant.class)) {
            return Instant.EPOCH;
        } else if (type.isAssignableFrom(BackendException.class)) {
            return new BackendException(NAME, true, new IllegalStateException(NAME));
        } else if (type.equals(StackTraceElement.class)) {
            return new StackTraceElement(NAME, NAME, NAME, 1);
        } else if (type.isEnum()) {
            return type.getEnumConstants()[0];
        }
        return make(type);
    }
}
