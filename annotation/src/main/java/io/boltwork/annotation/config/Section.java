// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation.config;

import io.boltwork.annotation.operation.Durations;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The settings that begin with a prefix.
 *
 * @param settings all settings
 * @param prefix such as {@code boltwork.redis.}
 */
record Section(Settings settings, String prefix) {

    Section below(String name) {
        return new Section(settings, prefix + name + ".");
    }

    @Nullable
    String text(String key) {
        String text = settings.find(prefix + key);
        return text == null || text.isBlank() ? null : text.strip();
    }

    String text(String key, String otherwise) {
        String text = text(key);
        return text == null ? otherwise : text;
    }

    /** Returns a list, which is written with commas. */
    List<String> list(String key) {
        String text = text(key);
        return text == null
                ? List.of()
                : Arrays.stream(text.split(",")).map(String::strip).toList();
    }

    @Nullable
    Duration duration(String key) {
        return value(key, text -> {
            try {
                return Durations.parse(text);
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(e.getMessage() + ". Write a duration such as 500ms, 30s or PT30S.");
            }
        });
    }

    @Nullable
    Path path(String key) {
        return value(key, Path::of);
    }

    @Nullable
    Integer integer(String key) {
        return value(key, text -> {
            try {
                return Integer.valueOf(text);
            } catch (NumberFormatException e) {
                throw new IllegalArgumentException("It must be a whole number.");
            }
        });
    }

    boolean flag(String key, boolean otherwise) {
        Boolean flag = value(key, text -> {
            if (!text.equalsIgnoreCase("true") && !text.equalsIgnoreCase("false")) {
                throw new IllegalArgumentException("It must be true or false.");
            }
            return Boolean.valueOf(text);
        });
        return flag == null ? otherwise : flag;
    }

    /** Returns a constant of an enum, which may be written in lower case. */
    <E extends Enum<E>> @Nullable E constant(String key, Class<E> type) {
        return constant(key, type, List.of(type.getEnumConstants()));
    }

    <E extends Enum<E>> @Nullable E constant(String key, Class<E> type, List<E> allowed) {
        return value(
                key,
                text -> allowed.stream()
                        .filter(each -> each.name().equalsIgnoreCase(text.replace('-', '_')))
                        .findFirst()
                        .orElseThrow(() -> new IllegalArgumentException("It must be one of "
                                + String.join(
                                        ", ",
                                        allowed.stream().map(Section::written).toList()) + ".")));
    }

    private static String written(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Returns the result of a rule for a value; {@code null} if there is no value. A wrong value is reported. */
    <T> @Nullable T value(String key, Function<String, T> rule) {
        String text = text(key);
        return text == null ? null : apply(key, text, rule);
    }

    /** Returns the result of a rule for a value. If the rule rejects the value, the exception names the setting. */
    <T, R> R apply(String key, T value, Function<T, R> rule) {
        try {
            return rule.apply(value);
        } catch (IllegalArgumentException e) {
            throw WrongSettingException.invalid(prefix + key, value, String.valueOf(e.getMessage()));
        }
    }

    /** Returns the options with one more, if the setting has a value. */
    <O, T> O with(O options, String key, @Nullable T value, Function<T, O> change) {
        return value == null ? options : apply(key, value, change);
    }
}
