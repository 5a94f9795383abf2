// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation.text;

import io.boltwork.annotation.acquire.TargetKind;
import io.boltwork.annotation.acquire.TargetType;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.MonthDay;
import java.time.OffsetDateTime;
import java.time.Period;
import java.time.Year;
import java.time.YearMonth;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Currency;
import java.util.Date;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The types whose values have one text, in each JVM. See {@link KeyText}. */
public final class KeyTypes {
    /** The final classes whose {@code toString()} returns the one text of a value. */
    static final Set<Class<?>> PLAIN = Set.of(
            Boolean.class,
            Character.class,
            Byte.class,
            Short.class,
            Integer.class,
            Long.class,
            BigInteger.class,
            UUID.class,
            Currency.class,
            Instant.class,
            LocalDate.class,
            LocalTime.class,
            LocalDateTime.class,
            Year.class,
            YearMonth.class,
            MonthDay.class,
            Duration.class,
            Period.class);

    /** The other types of single values. Their subclasses have such a text, too. */
    private static final List<Class<?>> SINGLE = List.of(
            CharSequence.class,
            Enum.class,
            BigDecimal.class,
            Date.class,
            OffsetDateTime.class,
            ZonedDateTime.class,
            ZoneId.class,
            Locale.class,
            Class.class);

    /** Classes that stand for the others, to find out which superclasses a usable value may be declared with. */
    private static final List<Class<?>> SAMPLES = Stream.concat(
                    PLAIN.stream(),
                    Stream.of(
                            String.class,
                            TargetKind.class,
                            BigDecimal.class,
                            Date.class,
                            ArrayList.class,
                            HashSet.class,
                            HashMap.class,
                            TargetType.class))
            .toList();

    /** The elements of a set or a map, as a list. Their order is not that of another, equal set. */
    public interface UnorderedList<E> extends List<E> {}

    private KeyTypes() {}

    /** Returns whether a date is a point in time. The dates and times of {@code java.sql} depend on the time zone. */
    public static boolean isInstant(Class<?> date) {
        return !date.getName().equals("java.sql.Date") && !date.getName().equals("java.sql.Time");
    }

    /** Returns the problem with the declared type of an expression; {@code null} if none is known. */
    public static @Nullable UnusableValueException problem(@Nullable DeclaredType declared) {
        return declared == null ? null : problem(declared, new LinkedHashSet<>());
    }

    private static @Nullable UnusableValueException problem(DeclaredType declared, Set<Class<?>> outer) {
        Class<?> resolved = declared.raw();
        if (resolved == null) {
            return null;
        }
        Class<?> type = MethodHierarchy.boxed(resolved);
        boolean inside = !outer.isEmpty();
        if (type == void.class || type == Void.class) {
            return UnusableValueException.wrong("returns nothing", expression -> "Use an expression that has a value.");
        }
        if (type == UnorderedList.class) {
            return unordered(inside);
        }
        if (isSingle(type) || type == OptionalInt.class || type == OptionalLong.class || !outer.add(type)) {
            return null;
        }
        List<DeclaredType> parts = parts(declared, type);
        if (parts != null) {
            for (DeclaredType part : parts) {
                UnusableValueException problem = problem(part, new LinkedHashSet<>(outer));
                if (problem != null) {
                    return problem;
                }
            }
            return null;
        }
        return mayBeUsable(type) ? null : unusable(type, inside);
    }

    private static boolean isSingle(Class<?> type) {
        return PLAIN.contains(type) || SINGLE.stream().anyMatch(each -> each.isAssignableFrom(type)) && isInstant(type);
    }

    /** Returns the types of a value's parts; {@code null} if the type is not one that has parts. */
    private static @Nullable List<DeclaredType> parts(DeclaredType declared, Class<?> type) {
        if (type.isArray()) {
            return List.of(declared.generic(0));
        }
        if (type == Optional.class) {
            return List.of(declared.generic(0));
        }
        if (List.class.isAssignableFrom(type) || Set.class.isAssignableFrom(type)) {
            return List.of(declared.as(Collection.class).generic(0));
        }
        if (Map.class.isAssignableFrom(type)) {
            return declared.as(Map.class).generics();
        }
        return type.isRecord()
                ? Arrays.stream(type.getRecordComponents())
                        .map(each -> declared.member(type, each.getGenericType()))
                        .toList()
                : null;
    }

    /** Returns whether a value that is declared with this type may be of another one, which has a text. */
    private static boolean mayBeUsable(Class<?> type) {
        return type.isInterface() || SAMPLES.stream().anyMatch(type::isAssignableFrom);
    }

    /** Adds the methods that read the parts of values of a type. */
    public static void addAccessors(@Nullable DeclaredType declared, Set<Method> accessors) {
        if (declared != null) {
            addAccessors(declared, accessors, new HashSet<>());
        }
    }

    private static void addAccessors(DeclaredType declared, Set<Method> accessors, Set<Class<?>> seen) {
        Class<?> type = declared.raw();
        List<DeclaredType> parts = type == null || !seen.add(type) ? null : parts(declared, type);
        if (type == null || parts == null) {
            return;
        }
        if (type.isRecord()) {
            Arrays.stream(type.getRecordComponents())
                    .map(RecordComponent::getAccessor)
                    .forEach(accessors::add);
        }
        parts.forEach(part -> addAccessors(part, accessors, seen));
    }

    /** Returns whether equal values of this type may have their elements in different orders. */
    public static boolean isUnordered(Class<?> type) {
        return (Set.class.isAssignableFrom(type) || Map.class.isAssignableFrom(type))
                && !SortedSet.class.isAssignableFrom(type)
                && !SortedMap.class.isAssignableFrom(type)
                && !EnumSet.class.isAssignableFrom(type)
                && !EnumMap.class.isAssignableFrom(type);
    }

    /**
     * Returns whether a value of this class has elements in an order that is not defined. Other than for a declared
     * type, a collection that is neither a list nor a queue, such as the values of a map, is one.
     */
    public static boolean isUnorderedValue(Class<?> type) {
        return isUnordered(type)
                || Collection.class.isAssignableFrom(type)
                        && !Set.class.isAssignableFrom(type)
                        && !List.class.isAssignableFrom(type)
                        && !Queue.class.isAssignableFrom(type);
    }

    /** Returns the exception for {@link UnorderedList}. */
    public static UnusableValueException unordered(boolean inside) {
        return UnusableValueException.wrong(
                (inside ? "contains a list that depends" : "depends")
                        + " on the order of a set or a map, which is not defined, so that equal values could use"
                        + " different locks",
                expression -> "Use the set or the map itself, or a list that is sorted.");
    }

    /** Returns the exception for a value, or a part of it, whose type has no text. */
    static UnusableValueException unusable(Class<?> type, boolean inside) {
        return UnusableValueException.wrong(
                (inside ? "contains a " : "is a ") + type.getTypeName()
                        + ", which has no text that is always the same for equal values, so that they could use"
                        + " different locks",
                expression ->
                        inside ? "Use a part of it that has such a text, such as a number." : remedy(expression, type));
    }

    private static String remedy(String expression, Class<?> type) {
        if (type == Double.class || type == Float.class || type == double.class || type == float.class) {
            return "Use a whole number, a BigDecimal or a text.";
        }
        if (Collection.class.isAssignableFrom(type)) {
            return "Use a Set, or a List if the order matters.";
        }
        if (type.getName().startsWith("java.")) {
            return "Use a text, a number, an enum constant or a date of java.time that identifies it.";
        }
        for (Method method : type.getMethods()) {
            if (method.getParameterCount() == 0
                    && (method.getName().equals("getId") || method.getName().equals("id"))) {
                return "Use a property that identifies it: " + expression + ".id"
                        + (method.getName().equals("id") ? "()" : "") + ".";
            }
        }
        return "Use a property that identifies it, such as " + expression + ".id"
                + (hasOwnText(type)
                        ? ", or " + expression + ".toString() if equal values have equal texts."
                        : ", or make it a record of such properties.");
    }

    /** Returns whether the class, or a superclass outside of the JDK, defines {@code toString()}. */
    public static boolean hasOwnText(Class<?> type) {
        try {
            return !type.getMethod("toString").getDeclaringClass().getName().startsWith("java.")
                    || Modifier.isAbstract(type.getMethod("toString").getModifiers());
        } catch (NoSuchMethodException e) {
            return false; // an interface
        }
    }
}
