// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.boltwork.annotation.text.LockDefinitionException;
import io.boltwork.spring.text.LockExpressions;
import java.lang.reflect.Method;
import java.time.LocalDate;
import java.util.Arrays;
import java.util.Collection;
import java.util.Date;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;

/** Finds expressions that cannot work, as far as types are declared, before the first call. */
class ExpressionMistakesTest {

    /** A class of an application that identifies its objects by an id. */
    public static class Order {
        public final String region = "eu";

        public UUID getId() {
            return UUID.randomUUID();
        }

        public Order getParent() {
            return this;
        }

        public List<Line> getLines() {
            return List.of();
        }

        public boolean isUrgent() {
            return true;
        }
    }

    /** A class whose text may be anything. */
    public static class Note {
        @Override
        public String toString() {
            return "note";
        }
    }

    /** A record with a usable part, and another one. */
    public record Line(String item, Order order) {}

    /** A record of usable parts. */
    public record Key(UUID id, Set<LocalDate> days) {}

    /** A type that values of usable types may have. */
    public interface Item {
        String code();
    }

    /** A bean. */
    public static class Rates {
        public static final int DEFAULT = 1;

        public Optional<Boolean> known(String item) {
            return Optional.of(true);
        }

        public double rate() {
            return 1;
        }

        public void refresh() {}
    }

    abstract static class Base<C, K> {
        public abstract void handle(C command, List<K> all);
    }

    static class Shop extends Base<Order, Line> {
        @Override
        public void handle(Order command, List<Line> all) {}

        public void buy(
                String item,
                Order order,
                Note note,
                Line line,
                Key key,
                List<Order> orders,
                Map<String, Order> byId,
                Set<String> ids,
                SortedSet<String> sorted,
                EnumSet<TimeUnit> units,
                Optional<Order> some,
                Collection<String> any,
                Item shape,
                Object object,
                long amount,
                Long most,
                double price,
                Boolean flag,
                int[] numbers,
                Date date,
                TimeUnit unit) {}

        public boolean open(int hour) {
            return true;
        }
    }

    static class Inheriting extends Base<Order, Line> {
        @Override
        public void handle(Order command, List<Line> all) {
            throw new UnsupportedOperationException();
        }
    }

    private static LockExpressions expressions() {
        DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
        beans.registerBeanDefinition("rates", new RootBeanDefinition(Rates.class));
        return new LockExpressions(beans);
    }

    private static Method method(Class<?> type, String name) {
        return Arrays.stream(type.getDeclaredMethods())
                .filter(each -> each.getName().equals(name) && !each.isBridge())
                .findFirst()
                .orElseThrow();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            uses the property 'nmae', which java.lang.String does not have   | #item.nmae
            uses the property 'nmae', which io.boltwork.spring.              | #order.nmae
            uses the property 'nmae'                                         | #order.parent.parent.nmae
            uses the property 'nmae'                                         | #order.parent.nmae.length()
            uses the property 'nmae'                                         | #line.order.nmae
            uses the property 'nmae'                                         | #orders[0].nmae
            uses the property 'nmae'                                         | #orders.get(0).nmae
            uses the property 'nmae'                                         | #byId[#item].nmae
            Write ['item'] for an entry of the map                           | #byId.item
            uses the property 'nmae'                                         | #some.get().nmae
            uses the property 'nmae'                                         | #order['nmae']
            uses the property 'nmae'                                         | #orders.![nmae]
            uses the property 'nmae'                                         | #orders.?[nmae == 1].size()
            uses the property 'nmae'                                         | #order.lines[0].nmae
            uses the property 'nmae', which java.lang.Long does not have     | #amount.nmae
            uses the property 'nmae'                                         | #root.target.nmae
            uses the property 'nmae'                                         | @rates.nmae
            uses the property 'nmae', which java.util.UUID does not have     | T(java.util.UUID).nmae
            uses the property 'nmae'                                         | 'a' + #order.nmae
            uses the property 'nmae'                                         | #item.concat(#order.nmae)
            uses the property 'nmae'                                         | #flag ? #order.nmae : 'a'
            uses the property 'nmae'                                         | {#order.nmae}
            calls the method 'legnth', which java.lang.String does not have  | #item.legnth()
            does not have with 1 parameters                                  | #item.length(1)
            calls the method 'rtae'                                          | @rates.rtae()
            does not have with 0 parameters                                  | #root.target.open()
            calls the method 'of'                                            | T(java.util.UUID).of(#item)
            refers to the class 'org.example.Missing', which does not exist  | T(org.example.Missing).of(#item)
            refers to the class 'org.example.Missing', which does not exist  | new org.example.Missing(#item).id
            calls a function that does not exist                             | #hash(#item)
            is a java.lang.String, and not a boolean                         | #item ? 'a' : 'b'
            compares a java.lang.String with a java.lang.Integer             | #item > 5 ? 'a' : 'b'
            compares a java.util.Optional with a java.lang.Integer           | #some > 5 ? 'a' : 'b'
            """)
    void partsThatDoNotExist(String problem, String expression) {
        assertMistake(expression, problem);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            which has no text that is always the same for equal values       | #order
            Use a property that identifies it: #order.id.                    | #order
            or #note.toString() if equal values have equal texts             | #note
            contains a io.boltwork.spring.ExpressionMistakesTest$Order       | #line
            contains a io.boltwork.spring.ExpressionMistakesTest$Order       | #orders
            contains a io.boltwork.spring.ExpressionMistakesTest$Order       | #byId
            contains a io.boltwork.spring.ExpressionMistakesTest$Order       | #some
            '#order.parent' is a                                             | #order.parent
            is a java.lang.Double                                            | #price
            Use a whole number, a BigDecimal or a text                       | #price
            is a java.lang.Double                                            | @rates.rate()
            returns nothing                                                  | @rates.refresh()
            is a io.boltwork.spring.text.LockExpressionRoot                       | #root
            is a java.lang.reflect.Method                                    | #root.method
            depends on the order of a set or a map                           | #ids.![length()]
            depends on the order of a set or a map                           | #byId.![key]
            depends on the order of a set or a map                           | #ids.?[length() > 1]
            depends on the order of a set or a map                           | #ids[0]
            depends on the order of a set or a map                           | #ids.toString()
            depends on the order of a set or a map                           | #ids.toArray()
            depends on the order of a set or a map                           | #ids.stream().toList()
            depends on the order of a set or a map                           | {#ids.stream().toList()}
            depends on the order of a set or a map                           | #ids.iterator().next()
            depends on the order of a set or a map                           | T(java.util.List).copyOf(#ids)
            depends on the time zone of the JVM                              | #date.toString()
            depends on the time zone of the JVM                              | #date.toLocaleString()
            depends on the time zone of the JVM                              | T(java.lang.String).valueOf(#date)
            depends on the time zone of the JVM                              | '%s'.formatted(#date)
            uses the hash code of a io.boltwork.spring.                      | #order.hashCode()
            uses the hash code of a java.util.concurrent.TimeUnit            | #unit.hashCode()
            uses the hash code of a int[]                                    | #numbers.hashCode()
            uses the hash code of a io.boltwork.spring.                      | T(java.util.Objects).hash(#item, #order)
            depends on the order of a set or a map                           | new java.util.ArrayList(#ids)
            depends on the order of a set or a map                           | T(java.lang.String).join(',', #ids)
            depends on the order of a set or a map                           | #item.concat(#ids)
            is a io.boltwork.spring.ExpressionMistakesTest$Order             | #order.toString()
            is a io.boltwork.spring.ExpressionMistakesTest$Order             | T(java.lang.String).valueOf(#order)
            is a io.boltwork.spring.ExpressionMistakesTest$Order             | 'a' + #order
            is a java.lang.Double                                            | #item + #price
            contains a io.boltwork.spring.ExpressionMistakesTest$Order       | {#order, #order.parent}
            """)
    void valuesWithoutAText(String problem, String expression) {
        assertMistake(expression, problem);
    }

    private static void assertMistake(String expression, String problem) {
        Method buy = method(Shop.class, "buy");
        LockExpressions expressions = expressions();
        assertThatExceptionOfType(LockDefinitionException.class)
                .isThrownBy(() -> expressions.of(Shop.class).key(buy, expression))
                .withMessageContaining("Shop.buy(String, Order, ")
                .withMessageContaining("keys = \"" + expression + "\": '")
                .satisfies(mistake -> assertThat(mistake.getMessage() + ". " + mistake.action())
                        .contains(problem));
        assertThatExceptionOfType(LockDefinitionException.class)
                .isThrownBy(() -> expressions.of(Shop.class).name(buy, "x:#{" + expression + "}"))
                .satisfies(mistake -> assertThat(mistake.getMessage() + ". " + mistake.action())
                        .contains(problem));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "#item",
                "#item.length",
                "#item?.length()",
                "#item.bytes",
                "#item[0]",
                "#item.substring(0, 1)",
                "#item.formatted(1, 2, 3)",
                "#item.class.name",
                "#order.id",
                "#order.region",
                "#order['id']",
                "#order.getClass().simpleName",
                "#note.toString()",
                "#line.item",
                "#line.item()",
                "#key",
                "#key.days",
                "#orders[0].id",
                "#orders.![id]",
                "#orders.?[urgent].![id]",
                "#orders.^[urgent].id",
                "#orders.size()",
                "#byId[item].id",
                "#byId['a'].id",
                "#byId.keySet()",
                "#byId.empty",
                "#ids",
                "#ids.size()",
                "#ids.toArray().length",
                "#ids.stream().sorted().toList()",
                "#ids.stream().count()",
                "#sorted.stream().toList()",
                "#item.hashCode()",
                "#key.hashCode()",
                "#object.hashCode()",
                "T(java.util.Objects).hash(#item, #amount)",
                "#date.toInstant().toString()",
                "#date.time",
                "new java.text.SimpleDateFormat('yyyy').format(#date)",
                "new java.util.Properties().getProperty(#item)",
                "T(java.util.List).of(#ids)",
                "new java.util.TreeSet(#ids)",
                "#ids.![length()].size()",
                "#sorted.![length()]",
                "#sorted.first()",
                "#units",
                "#some.get().id",
                "#some.map(#any)",
                "#any",
                "#shape",
                "#shape.code()",
                "#shape.other",
                "#shape.toString()",
                "#object",
                "#object.other.more()",
                "#amount",
                "#amount + 1",
                "#amount > 1 ? 'a' : 'b'",
                "#most > #amount ? 'a' : 'b'",
                "#item > 'b' ? 'a' : 'b'",
                "#numbers",
                "#numbers.length",
                "#date",
                "#unit",
                "#unit.name()",
                "#unit?.toString()",
                "#flag ?: false",
                "#root.args[0]",
                "#root.target.open(1)",
                "#root.targetClass",
                "#root.methodName",
                "methodName",
                "@rates.known(#item).get()",
                "@rates.DEFAULT",
                "T(java.util.concurrent.TimeUnit).DAYS",
                "T(java.util.concurrent.TimeUnit).valueOf(#item).name()",
                "T(java.lang.String).valueOf(#amount)",
                "T(java.util.UUID).nameUUIDFromBytes(#item.bytes)",
                "T(String).valueOf(#amount)",
                "T(int).name",
                "T(String[]).name",
                "new String(#item)",
                "{#item, #amount}",
                "{a: #item}",
                "'a' + #item + ':' + #amount",
                "#p0 + #a1.id",
                "#item matches 'a.*' and #amount between {1, 5}",
            })
    void workingExpressionsAreNoMistakes(String expression) {
        LockExpressions expressions = expressions();
        Method buy = method(Shop.class, "buy");
        assertThat(expressions.of(Shop.class).key(buy, expression).expressions())
                .isEqualTo(1);
        assertThat(expressions
                        .of(Shop.class)
                        .name(buy, "x:#{" + expression + "}")
                        .expressions())
                .isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "#amount > 100",
                "#flag",
                "!#flag",
                "#flag and #order.urgent",
                "#order.isUrgent()",
                "#object",
                "#object.urgent",
                "@rates.known(#item)",
                "#item == 'a' or #item matches 'b.*'",
                "#ids.contains(#item)",
                "#flag ? true : #order.urgent",
                "#item instanceof T(String)",
                "#date > #date",
                "true"
            })
    void conditions(String condition) {
        assertThat(expressions()
                        .of(Shop.class)
                        .condition(method(Shop.class, "buy"), condition)
                        .text())
                .isEqualTo(condition);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            is a java.lang.String, and not a boolean                         | #item
            is a long, and not a boolean                                     | #amount
            is a java.lang.Number, and not a boolean                         | #amount + 1
            is a java.util.UUID, and not a boolean                           | #order.id
            is a java.util.Optional, and not a boolean                       | #some
            is a java.lang.String, and not a boolean                         | 'true'
            is a java.lang.String, and not a boolean                         | #item + #amount
            is a java.util.List, and not a boolean                           | #orders.?[urgent]
            '#item' is a java.lang.String, and not a boolean                 | #flag and #item
            '#item' is a java.lang.String, and not a boolean                 | !#item
            uses the property 'urgnet'                                       | #order.urgnet
            calls the method 'isUrgnet'                                      | #order.isUrgnet()
            compares a java.lang.String with a java.lang.Integer             | #item > 100
            compares a                                                       | #order > 100
            uses the property 'item'                                         | #orders.?[item > 1].empty
            """)
    void wrongConditions(String problem, String condition) {
        LockExpressions expressions = expressions();
        assertThatExceptionOfType(LockDefinitionException.class)
                .isThrownBy(() -> expressions.of(Shop.class).condition(method(Shop.class, "buy"), condition))
                .withMessageContaining("condition = \"" + condition + "\"")
                .withMessageContaining(problem);
    }

    @ParameterizedTest
    @ValueSource(strings = {"#command.nmae", "#all[0].nmae", "#p0.nmae"})
    void typeArgumentsOfASuperclassAreKnown(String expression) {
        LockExpressions expressions = expressions();
        Method declared = method(Base.class, "handle");
        for (Class<?> type : List.of(Shop.class, Inheriting.class)) {
            assertThatExceptionOfType(LockDefinitionException.class)
                    .isThrownBy(() -> expressions.of(type).key(declared, expression))
                    .withMessageContaining("uses the property 'nmae'");
        }
        assertThat(expressions.of(Base.class).key(declared, expression).expressions())
                .isEqualTo(1);
    }
}
