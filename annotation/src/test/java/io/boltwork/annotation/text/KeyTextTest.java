// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.YearMonth;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Currency;
import java.util.Date;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.TimeZone;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests the texts of values: equal values have one, different values have different ones. */
class KeyTextTest {

    record Money(String currency, long cents) {}

    record Basket(Money money, Set<Size> sizes) {}

    enum Size {
        SMALL,
        LARGE {
            @Override
            boolean isLarge() {
                return true;
            }
        };

        boolean isLarge() {
            return false;
        }

        @Override
        public String toString() {
            return "size";
        }
    }

    /** Lists text and values. The text is the one that all other JVMs must compute, too. */
    static Stream<Arguments> texts() {
        Instant moment = Instant.parse("2026-03-01T10:00:00Z");
        return Stream.of(
                arguments("true", true),
                arguments("x", 'x'),
                arguments("-7", (byte) -7),
                arguments("12345678901234567890", new BigInteger("12345678901234567890")),
                arguments("1", new BigDecimal("1.00")),
                arguments("100", new BigDecimal("1E+2")),
                arguments("0", new BigDecimal("-0.000")),
                arguments("0.05", new BigDecimal("0.050")),
                arguments("ab", new StringBuilder("ab")),
                arguments("SMALL", Size.SMALL),
                arguments("LARGE", Size.LARGE),
                arguments("2026-03-01T10:00:00Z", moment),
                arguments("2026-03-01T10:00:00Z", Date.from(moment)),
                arguments("2026-03-01T10:00:00Z", Timestamp.from(moment)),
                arguments("2026-03-01T10:00:00.000000001Z", Timestamp.from(moment.plusNanos(1))),
                arguments("2026-03-01T10:00:00Z", moment.atZone(ZoneId.of("Asia/Tokyo"))),
                arguments("2026-03-01T10:00:00Z", moment.atOffset(ZoneOffset.ofHours(-5))),
                arguments("2026-03-01", LocalDate.of(2026, 3, 1)),
                arguments("2026-03-01T10:00", LocalDateTime.of(2026, 3, 1, 10, 0)),
                arguments("2026-03", YearMonth.of(2026, 3)),
                arguments("PT1H30M", Duration.ofMinutes(90)),
                arguments("Asia/Tokyo", ZoneId.of("Asia/Tokyo")),
                arguments("de-DE", Locale.GERMANY),
                arguments("EUR", Currency.getInstance("EUR")),
                arguments("java.lang.String", String.class),
                arguments("7", OptionalInt.of(7)),
                arguments("7", OptionalLong.of(7)),
                arguments("7", Optional.of(Optional.of(7))),
                arguments("[1, 2]", new int[] {1, 2}),
                arguments("[b, a]", new String[] {"b", "a"}),
                arguments("[b, a]", List.of("b", "a")),
                arguments("[a, b, c]", new LinkedHashSet<>(List.of("c", "a", "b"))),
                arguments("[[a, b], [c]]", new LinkedHashSet<>(List.of(Set.of("c"), Set.of("b", "a")))),
                arguments("{a=1, b=[x, y]}", Map.of("b", Set.of("y", "x"), "a", 1)),
                arguments("[SMALL]", EnumSet.of(Size.SMALL)),
                arguments("Money[currency=EUR, cents=7]", new Money("EUR", 7)),
                arguments(
                        "Basket[money=Money[currency=a%2Cb, cents=7], sizes=[LARGE, SMALL]]",
                        new Basket(new Money("a,b", 7), new LinkedHashSet<>(List.of(Size.SMALL, Size.LARGE)))));
    }

    @ParameterizedTest
    @MethodSource
    void texts(String text, Object value) {
        assertThat(KeyText.of(value)).isEqualTo(text);
    }

    @Test
    void textDoesNotDependOnTheTimeZoneOrTheLanguage() {
        TimeZone zone = TimeZone.getDefault();
        Locale language = Locale.getDefault();
        try {
            TimeZone.setDefault(TimeZone.getTimeZone("Asia/Tokyo"));
            Locale.setDefault(Locale.forLanguageTag("ar-EG"));
            texts().forEach(each -> assertThat(KeyText.of(each.get()[1])).isEqualTo(each.get()[0]));
        } finally {
            TimeZone.setDefault(zone);
            Locale.setDefault(language);
        }
    }

    /** The order of a hash table depends on its capacity and on the order of the insertions. */
    @Test
    void equalSetsAndMapsHaveOneText() {
        Random random = new Random(7);
        for (int i = 0; i < 100; i++) {
            List<String> elements = IntStream.range(0, random.nextInt(1, 20))
                    .mapToObj(each -> Integer.toString(random.nextInt(1_000), 36))
                    .collect(Collectors.toCollection(ArrayList::new));
            Set<String> one = new HashSet<>(elements);
            Collections.shuffle(elements, random);
            Set<String> other = new LinkedHashSet<>(elements);
            Map<String, Set<String>> map = new HashMap<>(256);
            Map<String, Set<String>> linked = new LinkedHashMap<>();
            one.forEach(each -> map.put(each, one));
            other.forEach(each -> linked.put(each, other));
            assertThat(KeyText.of(one)).isEqualTo(KeyText.of(other)).isEqualTo(KeyText.of(Set.copyOf(other)));
            assertThat(KeyText.of(map)).isEqualTo(KeyText.of(linked)).isEqualTo(KeyText.of(Map.copyOf(linked)));
        }
    }

    @Test
    void differentValuesHaveDifferentTexts() {
        List<Object> values = List.of(
                List.of("a", "b"),
                List.of("a, b"),
                List.of("a,b"),
                List.of("[a", "b]"),
                List.of(List.of("a", "b")),
                List.of(List.of("a"), List.of("b")),
                List.of("a%2C", "b"),
                List.of("a", " b"),
                List.of("b", "a"),
                Map.of("a", "b"),
                Map.of("a=b", "c"),
                Map.of("a", "b=c"),
                Map.of("a", "b, c=d"),
                Map.of("a", "b", "c", "d"),
                new Money("a, cents=7", 7),
                new Money("a", 7));
        assertThat(values.stream().map(KeyText::of)).doesNotHaveDuplicates();
    }
}
