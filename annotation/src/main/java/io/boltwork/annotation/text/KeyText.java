// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation.text;

import java.lang.reflect.Array;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.math.BigDecimal;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Date;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/*
 * Two callers that mean the same object must use the same lock, in each JVM. The text of a value must therefore depend
 * on nothing but the value. toString() does not promise that: a HashSet has the order of its table, a Set.of() that of
 * a random number drawn at the start of the JVM, a Date the time zone, a double the rules of the JDK's version, and a
 * class of the application whatever it likes.
 */
/**
 * Converts the values in lock names to text. Equal values have equal texts in all JVMs, and different values of one
 * type have different texts. {@link KeyTypes} decides which types have such a text.
 */
public final class KeyText {
    /** Each element has at least one character, so the name of more elements would be too long. */
    private static final int MOST_ELEMENTS = 1_024;

    /** A collection can contain itself. */
    private static final int DEEPEST = 16;

    /** The characters that structure the text of a collection. */
    private static final String STRUCTURE = "%,=[]{}";

    /** Largest power of ten that a whole number is written with, digit by digit. */
    private static final int MOST_ZEROS = 1_000;

    private KeyText() {}

    /**
     * Returns the text of a value in a name.
     *
     * @throws UnusableValueException if the value has no such text, or if it or a part of it is null or empty
     */
    public static String of(@Nullable Object value) {
        return of(value, 0);
    }

    private static String of(@Nullable Object value, int depth) {
        Object own = present(value);
        if (own == null) {
            throw UnusableValueException.missing(depth == 0 ? "is null" : "contains null");
        }
        String text = single(own);
        if (text == null) {
            return composed(own, depth);
        }
        if (text.isEmpty()) {
            throw empty(depth);
        }
        return depth == 0 ? text : escaped(text, STRUCTURE);
    }

    private static UnusableValueException empty(int depth) {
        return UnusableValueException.missing(depth == 0 ? "is empty" : "contains an empty value");
    }

    /** Returns the content of an optional, or the value itself; {@code null} if there is none. */
    public static @Nullable Object present(@Nullable Object value) {
        if (value instanceof Optional<?> optional) {
            return present(optional.orElse(null));
        }
        if (value instanceof OptionalInt optional) {
            return optional.isPresent() ? optional.getAsInt() : null;
        }
        if (value instanceof OptionalLong optional) {
            return optional.isPresent() ? optional.getAsLong() : null;
        }
        return value;
    }

    /** Returns the text of a value without parts; {@code null} if the value has parts or no text. */
    private static @Nullable String single(Object value) {
        if (value instanceof CharSequence || KeyTypes.PLAIN.contains(value.getClass())) {
            return value.toString();
        }
        if (value instanceof Enum<?> constant) {
            return constant.name();
        }
        if (value.getClass() == BigDecimal.class) {
            return decimal((BigDecimal) value);
        }
        if (value instanceof Date date && KeyTypes.isInstant(date.getClass())) {
            return date.toInstant().toString();
        }
        if (value instanceof OffsetDateTime time) {
            return time.toInstant().toString();
        }
        if (value instanceof ZonedDateTime time) {
            return time.toInstant().toString();
        }
        if (value instanceof ZoneId zone) {
            return zone.getId();
        }
        if (value instanceof Locale locale) {
            return locale.toLanguageTag();
        }
        return value instanceof Class<?> type && !MethodHierarchy.isGenerated(type)
                ? MethodHierarchy.userClass(type).getName()
                : null;
    }

    /** Returns the same text for 1.0 and 1.00, which a database and a request may have for one number. */
    private static String decimal(BigDecimal number) {
        BigDecimal shortest = number.stripTrailingZeros();
        return shortest.scale() < 0 && shortest.scale() > -MOST_ZEROS ? shortest.toPlainString() : shortest.toString();
    }

    private static String composed(Object value, int depth) {
        if (depth == DEEPEST) {
            throw UnusableValueException.wrong(
                    "contains collections in more than " + DEEPEST + " levels",
                    expression -> "Use a number or a text that identifies it.");
        }
        if (value instanceof Map<?, ?> map) {
            List<String> entries = new ArrayList<>();
            for (Map.Entry<?, ?> entry : some(map.entrySet(), depth)) {
                entries.add(of(entry.getKey(), depth + 1) + "=" + of(entry.getValue(), depth + 1));
            }
            Collections.sort(entries);
            return "{" + String.join(", ", entries) + "}";
        }
        if (value instanceof Record own) {
            return own.getClass().getSimpleName() + components(own, depth);
        }
        Collection<?> elements = value.getClass().isArray()
                ? elements(value)
                : value instanceof List<?> list ? list : value instanceof Set<?> set ? set : null;
        if (elements == null) {
            throw KeyTypes.unusable(value.getClass(), depth > 0);
        }
        List<String> texts = new ArrayList<>();
        for (Object element : some(elements, depth)) {
            texts.add(of(element, depth + 1));
        }
        if (value instanceof Set<?>) {
            Collections.sort(texts);
        }
        return texts.toString();
    }

    private static List<@Nullable Object> elements(Object array) {
        List<@Nullable Object> elements = new ArrayList<>();
        for (int i = 0; i < Array.getLength(array); i++) {
            elements.add(Array.get(array, i));
        }
        return elements;
    }

    private static <T extends @Nullable Object> Collection<T> some(Collection<T> elements, int depth) {
        if (elements.isEmpty()) {
            throw empty(depth);
        }
        if (elements.size() > MOST_ELEMENTS) {
            throw UnusableValueException.missing("has " + elements.size() + " elements, which is too much for a name");
        }
        return elements;
    }

    private static String components(Record value, int depth) {
        List<String> texts = new ArrayList<>();
        for (RecordComponent component : value.getClass().getRecordComponents()) {
            texts.add(component.getName() + "=" + of(component(value, component.getAccessor()), depth + 1));
        }
        return texts.toString();
    }

    private static @Nullable Object component(Record value, Method accessor) {
        try {
            accessor.setAccessible(true);
            return accessor.invoke(value);
        } catch (InvocationTargetException e) {
            throw e.getCause() instanceof RuntimeException own ? own : new IllegalStateException(e.getCause());
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e); // it was made accessible
        }
    }

    /**
     * Escapes {@code %}, {@code :} and the characters that separate the values of a name, so that names are
     * unambiguous.
     */
    static String escaped(String text, String separators) {
        int at = 0;
        while (at < text.length() && separators.indexOf(text.charAt(at)) < 0) {
            at++;
        }
        if (at == text.length()) {
            return text;
        }
        StringBuilder escaped = new StringBuilder(text.length() + 8).append(text, 0, at);
        for (; at < text.length(); at++) {
            char c = text.charAt(at);
            if (separators.indexOf(c) < 0) {
                escaped.append(c);
            } else {
                escaped.append('%').append(String.format(Locale.ROOT, "%02X", (int) c));
            }
        }
        return escaped.toString();
    }
}
