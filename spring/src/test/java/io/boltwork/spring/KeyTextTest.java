// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.boltwork.LockClient;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Tests values in names: equal values give the same name, different values give different names. */
class KeyTextTest {

    static class Order {}

    record Line(Order order) {}

    record Money(String currency, long cents) {}

    enum Size {
        SMALL
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
                .withBean(Names.class)
                .run(context -> test.accept(context.getBean(Names.class)));
    }

    @Test
    void valuesWithATextAreNamedByIt() {
        UUID id = UUID.randomUUID();
        with(names -> {
            assertThat(names.key("7")).isEqualTo("x:7");
            assertThat(names.key(7L)).isEqualTo("x:7");
            assertThat(names.key(Size.SMALL)).isEqualTo("x:SMALL");
            assertThat(names.key(id)).isEqualTo("x:" + id);
            assertThat(names.key(Optional.of("7"))).isEqualTo("x:7");
            assertThat(names.key(List.of("a", "b"))).isEqualTo("x:[a, b]");
            assertThat(names.key(new Money("EUR", 7))).isEqualTo("x:Money[currency=EUR, cents=7]");
            assertThat(names.key(List.of("me@cafe", "Order@cafe"))).isEqualTo("x:[me@cafe, Order@cafe]");
            assertThat(names.template("a:b")).isEqualTo("x:a:b");
        });
    }

    @Test
    void valuesWithoutATextAreRefusedAtTheCall() {
        with(names -> {
            for (Object key : List.of(
                    new Order(),
                    new String[] {"a"},
                    new int[] {1},
                    List.of(new Order()),
                    Map.of("a", new byte[] {1}),
                    new Line(new Order()),
                    Optional.of(new Order()),
                    (Runnable) () -> {})) {
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> names.key(key))
                        .withMessageContaining("Names.key(Object)")
                        .withMessageContaining("'#key' is a");
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> names.template(key))
                        .withMessageContaining("'#key' is a");
            }
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> names.key(new Order()))
                    .withMessageContaining(Order.class.getName())
                    .withMessageContaining("#key.id");
        });
    }

    @Test
    void emptyValuesAreRefusedLikeNull() {
        with(names -> {
            for (Object key : List.of("", Optional.empty(), List.of(), Map.of(), Optional.of(""))) {
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> names.key(key))
                        .withMessageContaining("'#key' is empty");
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> names.template(key))
                        .withMessageContaining("'#key' is empty");
            }
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> names.template(null))
                    .withMessageContaining("'#key' is null");
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
