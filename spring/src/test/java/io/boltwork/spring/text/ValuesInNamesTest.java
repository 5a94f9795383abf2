// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.boltwork.InvalidNameException;
import io.boltwork.LockClient;
import io.boltwork.annotation.DistributedLock;
import io.boltwork.spring.autoconfigure.BoltworkAutoConfiguration;
import io.boltwork.spring.autoconfigure.DistributedLockAutoConfiguration;
import java.net.URI;
import java.sql.Timestamp;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Calendar;
import java.util.Date;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Tests values in names: equal values give the same name, different values give different names. */
class ValuesInNamesTest {

    static class Order {}

    record Line(@Nullable Order order) {}

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

    static class Names {
        private final LockClient locks;

        Names(LockClient locks) {
            this.locks = locks;
        }

        private String held() {
            return locks.inspector().list("*", 10).get(0).name();
        }

        @DistributedLock(name = "x", keys = "#key")
        public String key(Object key) {
            return held();
        }

        @DistributedLock("x:#{#key}")
        public String template(Object key) {
            return held();
        }

        @DistributedLock("'x:' + #key")
        public String joined(Object key) {
            return held();
        }

        @DistributedLock("'x:' + (#end ? #key + '!' : #key)")
        public String choice(Object key, Boolean end) {
            return held();
        }

        @DistributedLock(name = "x", keys = "#key.![#this]")
        public String selected(Object key) {
            return held();
        }

        @DistributedLock(name = "x", keys = "#key.toString()")
        public String printed(Object key) {
            return held();
        }

        @DistributedLock(name = "x", keys = "T(String).valueOf(#key)")
        public String valueOf(Object key) {
            return held();
        }

        @DistributedLock(name = "x", keys = "{'%s'.formatted(#key), 1}")
        public String formatted(Object key) {
            return held();
        }

        @DistributedLock(name = "x", keys = "{#key.toString(), 1}")
        public String printedInList(Object key) {
            return held();
        }

        @DistributedLock(name = "x", keys = "#key[0]")
        public String first(Object key) {
            return held();
        }

        @DistributedLock(name = "x", keys = "#key.values().stream().toList()")
        public String valuesStreamed(Map<String, Integer> key) {
            return held();
        }

        @DistributedLock(name = "x", keys = "#key.values().stream().sorted().toList()")
        public String valuesSorted(Map<String, Integer> key) {
            return held();
        }

        @DistributedLock(name = "x", keys = "#key.stream().toList()")
        public String streamed(Object key) {
            return held();
        }

        @DistributedLock(name = "x", keys = "#key.hashCode()")
        public String hashed(Object key) {
            return held();
        }

        @DistributedLock(name = "x", keys = "#key", condition = "#key.toString().length() > 1")
        public String longEnough(Object key) {
            return held();
        }

        @DistributedLock(name = "x", keys = "#key.length()")
        public String length(String key) {
            return held();
        }

        @DistributedLock(name = "x", keys = "#key[0]")
        public String first(List<String> key) {
            return held();
        }

        @DistributedLock(name = "x", keys = "#key.nmae")
        public String property(Object key) {
            return held();
        }

        @DistributedLock("x:#{#key.substring(0, 3)}")
        public String start(String key) {
            return held();
        }

        @DistributedLock(
                name = "x",
                keys = {"#a", "#b"})
        public String keys(String a, String b) {
            return held();
        }

        @DistributedLock("x:#{#a}:#{#b}")
        public String parts(String a, String b) {
            return held();
        }

        @DistributedLock("x-#{#a}-#{#b}")
        public String dashes(String a, String b) {
            return held();
        }

        @DistributedLock(name = "'x:' + #a", keys = "#b")
        public String expression(String a, String b) {
            return held();
        }
    }

    private static void with(Consumer<Names> test) {
        new ApplicationContextRunner()
                .withConfiguration(
                        AutoConfigurations.of(BoltworkAutoConfiguration.class, DistributedLockAutoConfiguration.class))
                .withPropertyValues("boltwork.backend=memory")
                .withBean("names", Names.class)
                .run(context -> test.accept(context.getBean(Names.class)));
    }

    @Test
    void valuesWithATextAreNamedByIt() {
        UUID id = UUID.randomUUID();
        with(names -> {
            assertThat(names.key("7")).isEqualTo("x:7");
            assertThat(names.key(7L)).isEqualTo("x:7");
            assertThat(names.key(id)).isEqualTo("x:" + id);
            assertThat(names.key(Optional.of("7"))).isEqualTo("x:7");
            assertThat(names.key(List.of("a", "b"))).isEqualTo("x:[a, b]");
            assertThat(names.key(new Money("EUR", 7))).isEqualTo("x:Money[currency=EUR, cents=7]");
            assertThat(names.template("a:b")).isEqualTo("x:a:b");
            assertThat(names.joined(new LinkedHashSet<>(List.of("b", "a")))).isEqualTo("x:[a, b]");
            assertThat(names.joined(Size.SMALL)).isEqualTo("x:SMALL");
            assertThat(names.choice(new LinkedHashSet<>(List.of("b", "a")), true))
                    .isEqualTo("x:[a, b]!");
        });
    }

    static class Anonymous {
        @Override
        public String toString() {
            return "always the same";
        }
    }

    @Test
    void valuesWithoutATextAreRefusedAtTheCall() {
        List<Object> itself = new ArrayList<>();
        itself.add(itself);
        with(names -> {
            for (Object key : List.of(
                    new Order(),
                    new Anonymous(),
                    1.5,
                    1.5f,
                    new double[] {1},
                    new AtomicLong(1),
                    java.sql.Date.valueOf("2026-03-01"),
                    java.sql.Time.valueOf("10:00:00"),
                    Calendar.getInstance(),
                    URI.create("http://host"),
                    new ArrayDeque<>(List.of("a")),
                    new HashMap<>(Map.of("a", "b")).values(),
                    Stream.of("a"),
                    itself,
                    List.of(new Order()),
                    Map.of("a", new Anonymous()),
                    new Line(new Order()),
                    Optional.of(new Order()),
                    (Runnable) () -> {})) {
                assertThatIllegalArgumentException()
                        .as("%s", key.getClass())
                        .isThrownBy(() -> names.key(key))
                        .isNotInstanceOf(InvalidNameException.class)
                        .withMessageContaining("Names.key(Object) of the bean 'names': '#key' ")
                        .withMessageContainingAll("Use ");
                assertThatIllegalArgumentException().isThrownBy(() -> names.template(key));
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> names.joined(key))
                        .withMessageContaining("Names.joined(Object)");
            }
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> names.key(new Order()))
                    .withMessageContaining("is a " + Order.class.getName())
                    .withMessageContaining("#key.id");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> names.key(new Anonymous()))
                    .withMessageContaining("#key.toString() if");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> names.key(List.of(new Order())))
                    .withMessageContaining("contains a " + Order.class.getName());
        });
    }

    /** Elements of a set in the order of its table, as a list or as text. */
    @Test
    void orderOfASetIsRefusedInParts() {
        with(names -> {
            for (Object unordered : List.of(Set.of("a"), Map.of("a", "b"))) {
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> names.selected(unordered))
                        .withMessageContaining("depends on the order of a set or a map");
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> names.printed(unordered))
                        .withMessageContaining("depends on the order of a set or a map");
            }
            assertThat(names.selected(List.of("b", "a"))).isEqualTo("x:[b, a]");
            assertThat(names.selected(new TreeSet<>(List.of("b", "a")))).isEqualTo("x:[a, b]");
            assertThat(names.printed(new Anonymous())).isEqualTo("x:always the same");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> names.printed(new Order()))
                    .withMessageContaining("is a " + Order.class.getName());
        });
    }

    /** Calls of methods whose results differ for equal values, if the declared type does not show it. */
    @Test
    void methodsThatDependOnMoreThanTheValueAreRefused() {
        with(names -> {
            for (Object unordered : List.of(Set.of("a"), Map.of("a", "b"))) {
                for (ThrowingCallable call : List.<ThrowingCallable>of(
                        () -> names.valueOf(unordered),
                        () -> names.formatted(unordered),
                        () -> names.printedInList(unordered))) {
                    assertThatIllegalArgumentException()
                            .isThrownBy(call)
                            .withMessageContaining("Names.")
                            .withMessageContaining("depends on the order of a set or a map");
                }
            }
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> names.streamed(Set.of("a")))
                    .withMessageContaining("depends on the order of a set or a map");
            for (ThrowingCallable call : List.<ThrowingCallable>of(
                    () -> names.printed(new Date(0)),
                    () -> names.valueOf(new Date(0)),
                    () -> names.formatted(new Timestamp(0)))) {
                assertThatIllegalArgumentException()
                        .isThrownBy(call)
                        .withMessageContaining("depends on the time zone of the JVM");
            }
            for (Object key : List.of(new Order(), Size.SMALL, new int[1])) {
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> names.hashed(key))
                        .withMessageContaining(
                                "uses the hash code of a " + key.getClass().getTypeName());
            }
            for (ThrowingCallable call :
                    List.<ThrowingCallable>of(() -> names.valueOf(new Order()), () -> names.formatted(new Order()))) {
                assertThatIllegalArgumentException()
                        .isThrownBy(call)
                        .withMessageContaining("is a " + Order.class.getName());
            }
            for (ThrowingCallable call : List.<ThrowingCallable>of(
                    () -> names.first(Set.of("a")), () -> names.valuesStreamed(Map.of("a", 1)))) {
                assertThatIllegalArgumentException()
                        .isThrownBy(call)
                        .withMessageContaining("depends on the order of a set or a map");
            }
            assertThat(names.first(List.of("b", "a"))).isEqualTo("x:b");
            assertThat(names.first(new TreeSet<>(List.of("b", "a")))).isEqualTo("x:a");
            assertThat(names.valuesSorted(Map.of("a", 2, "b", 1))).isEqualTo("x:[1, 2]");
            assertThat(names.valueOf(7L)).isEqualTo("x:7");
            assertThat(names.formatted("a")).isEqualTo("x:[a, 1]");
            assertThat(names.streamed(List.of("b", "a"))).isEqualTo("x:[b, a]");
            assertThat(names.streamed(new TreeSet<>(List.of("b", "a")))).isEqualTo("x:[a, b]");
            assertThat(names.hashed("a")).isEqualTo("x:97");
            assertThat(names.longEnough(Set.of("a")))
                    .as("a condition may use the text of any value")
                    .isEqualTo("x:[a]");
        });
    }

    @Test
    void emptyValuesAreRefusedLikeNull() {
        with(names -> {
            for (Object key : List.of("", Optional.empty(), List.of(), Map.of(), Optional.of(""), new int[0])) {
                assertMissing(() -> names.key(key), "'#key' is ");
                assertMissing(() -> names.template(key), "'#key' is ");
                assertMissing(() -> names.joined(key), "#key");
            }
            for (Object key : List.of(List.of(""), Arrays.asList("a", null), Map.of("a", Set.of()), new Line(null))) {
                assertMissing(() -> names.key(key), "'#key' contains ");
            }
            assertMissing(() -> names.template(null), "'#key' is null");
            assertMissing(() -> names.joined(null), "contains #key, which is null");
            assertMissing(() -> names.choice("a", null), "contains #end, which is null");
            assertMissing(() -> names.choice(null, true), "contains #key, which is null");
            assertMissing(() -> names.key(IntStream.range(0, 5_000).boxed().toList()), "has 5000 elements");
            assertMissing(() -> names.length(null), "uses a value that is missing in this call");
            assertMissing(() -> names.first(List.of()), "uses a value that is missing in this call");
            assertMissing(() -> names.key("x".repeat(1_023)), "name must be at most 1024 bytes");
            assertMissing(() -> names.key("\ud800"), "unpaired surrogate");
        });
    }

    private static void assertMissing(ThrowingCallable call, String problem) {
        assertThatExceptionOfType(InvalidNameException.class)
                .isThrownBy(call)
                .withMessageContaining("Names.")
                .withMessageContaining("of the bean 'names'")
                .withMessageContaining(problem);
    }

    /** An exception of a method that an expression calls is passed on, since an application may handle it. */
    @Test
    void failuresNameTheExpression() {
        with(names -> {
            assertThatExceptionOfType(IllegalStateException.class)
                    .isThrownBy(() -> names.property("7"))
                    .withMessageContaining("@DistributedLock on " + Names.class.getName() + ".property(Object)")
                    .withMessageContaining("of the bean 'names': '#key.nmae' cannot be evaluated");
            assertThatExceptionOfType(StringIndexOutOfBoundsException.class)
                    .isThrownBy(() -> names.start("a"))
                    .satisfies(failure -> assertThat(failure.getSuppressed()[0])
                            .hasMessageContaining("Names.start(String) of the bean 'names': thrown by")
                            .hasMessageContaining("#key.substring(0, 3)"));
        });
    }

    @Test
    void composedNamesHaveOneMeaning() {
        with(names -> {
            assertThat(names.keys("x:y", "z")).isEqualTo("x:x%3Ay:z").isNotEqualTo(names.keys("x", "y:z"));
            assertThat(names.keys("x%3Ay", "z")).isEqualTo("x:x%253Ay:z");
            assertThat(names.parts("x:y", "z")).isNotEqualTo(names.parts("x", "y:z"));
            assertThat(names.dashes("x-y", "z")).isEqualTo("x-x%2Dy-z").isNotEqualTo(names.dashes("x", "y-z"));
            assertThat(names.expression("x:y", "z")).isEqualTo("x:x:y:z").isNotEqualTo(names.expression("x", "y:z"));
        });
    }
}
