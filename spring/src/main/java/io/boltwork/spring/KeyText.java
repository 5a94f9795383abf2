// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring;

import io.boltwork.spi.Printable;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Collection;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/*
 * The name for the same object must be the same in each call. An object whose class does not define toString() has a
 * text that contains an identity hash, such as Order@1b6d3586. The same is true of arrays, and of anything that
 * contains such objects.
 */
/** Converts the values in lock names to text. */
final class KeyText {
    /** Matches the result of {@link Object#toString()}: the name of a class or an array, and a number. */
    private static final Pattern IDENTITY =
            Pattern.compile("(\\[+(?:[ZBCSIJFD]|L[\\w.$]+;)|[\\w.$]+)@[0-9a-f]{1,8}(?!\\w)");

    private static final ClassValue<Boolean> HAS_TEXT = new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
            return !type.isArray() && toStringOf(type) != Object.class;
        }
    };

    private KeyText() {}

    private static Class<?> toStringOf(Class<?> type) {
        try {
            return type.getMethod("toString").getDeclaringClass();
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException(e); // each class has it
        }
    }

    /**
     * Returns the text of a value in a name; {@code null} if the value is null, or an empty text, collection or
     * optional.
     *
     * @throws IllegalArgumentException if the text would differ between calls for the same object
     */
    static @Nullable String of(@Nullable Object value) {
        if (value == null) {
            return null;
        }
        if (value instanceof CharSequence || value instanceof Number || value instanceof Enum<?>) {
            String text = value.toString();
            return text.isEmpty() ? null : text;
        }
        if (value instanceof Optional<?> optional) {
            return of(optional.orElse(null));
        }
        if (value instanceof Collection<?> all && all.isEmpty() || value instanceof Map<?, ?> map && map.isEmpty()) {
            return null;
        }
        Class<?> type = value.getClass();
        if (!HAS_TEXT.get(type)) {
            throw new IllegalArgumentException(withoutText(type));
        }
        String text = value.toString();
        String identity = text.indexOf('@') < 0 ? null : identityIn(text, type.getClassLoader());
        if (identity != null) {
            throw new IllegalArgumentException(
                    "is a " + type.getTypeName() + ", whose text contains the object identity '"
                            + Printable.text(identity) + "', so that each call would use a different lock");
        }
        return text.isEmpty() ? null : text;
    }

    private static @Nullable String identityIn(String text, @Nullable ClassLoader loader) {
        Matcher found = IDENTITY.matcher(text);
        while (found.find()) {
            if (found.group(1).startsWith("[") || ClassUtils.isPresent(found.group(1), loader)) {
                return found.group();
            }
        }
        return null;
    }

    /** Returns the problem with the declared type of an expression; {@code null} if none is known. */
    static @Nullable String problem(@Nullable Class<?> declared) {
        if (declared == null || declared.isPrimitive() || declared == Object.class) {
            return null;
        }
        boolean others = declared.isInterface() || Modifier.isAbstract(declared.getModifiers()); // may have a text
        return (declared.isArray() || !others) && !HAS_TEXT.get(declared) ? withoutText(declared) : null;
    }

    private static String withoutText(Class<?> type) {
        return type.isArray()
                ? "is an array (" + type.getTypeName()
                        + "), which has no text of its own, so that each call would use a different lock"
                : "is a " + type.getTypeName()
                        + ", which does not define toString(), so that each call would use a different lock";
    }

    /** Returns advice on replacing an expression of that type. */
    static String remedy(String expression, Class<?> type) {
        if (type.isArray()) {
            return "Use one of its elements, such as " + expression + "[0], or something they have in common.";
        }
        for (Method method : type.getMethods()) {
            if (method.getParameterCount() == 0
                    && (method.getName().equals("getId") || method.getName().equals("id"))) {
                return "Use a property that identifies it: " + expression + ".id"
                        + (method.getName().equals("id") ? "()" : "") + ".";
            }
        }
        return "Use a property that identifies it, such as " + expression + ".id, or define toString() in "
                + type.getSimpleName() + ".";
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
