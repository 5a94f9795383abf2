// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

import io.boltwork.annotation.DistributedLock;
import io.boltwork.annotation.LockRefusedException;
import io.boltwork.annotation.OnRefused;
import io.boltwork.spring.autoconfigure.BoltworkRuntimeHints;
import io.boltwork.spring.text.LockExpressionRoot;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.springframework.aot.generate.ClassNameGenerator;
import org.springframework.aot.generate.DefaultGenerationContext;
import org.springframework.aot.generate.InMemoryGeneratedFiles;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.beans.factory.aot.AotServices;
import org.springframework.beans.factory.aot.BeanFactoryInitializationAotContribution;
import org.springframework.beans.factory.aot.BeanFactoryInitializationAotProcessor;
import org.springframework.beans.factory.aot.BeanFactoryInitializationCode;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.javapoet.ClassName;

/** Tests the hints for native images. */
class NativeHintsTest {

    /** An argument of a locked method. */
    public static final class Order {
        public String region = "eu";

        public Customer getCustomer() {
            return new Customer();
        }
    }

    /** A property of an argument. */
    public static final class Customer {
        public String id() {
            return "7";
        }
    }

    /** A value in a name, which is read by its components. */
    public record Line(String item, Amount amount) {}

    /** A component. */
    public record Amount(long cents) {}

    /** A bean that expressions call. */
    public static final class Regions {
        public String current() {
            return "eu";
        }
    }

    static class Shop {
        @DistributedLock(
                name = "order:#{#order.customer.id()}:#{#order.region}",
                onRefused = OnRefused.FALLBACK,
                fallback = "busy")
        public String buy(Order order) {
            return "";
        }

        private String busy(Order order, LockRefusedException refused) {
            return "";
        }

        @DistributedLock(
                name = "${prefix}:#{${broken}}",
                keys = {"@regions.current()", "#p0.length()", "#lines"},
                condition = "#root.target.open()",
                message = "#{T(java.util.Locale).getDefault()}")
        public void sell(String item, List<Line> lines) {}

        public boolean open() {
            return true;
        }
    }

    static class Plain {
        @DistributedLock("plain")
        public void run() {}
    }

    static class Unlocked {
        public void run() {}
    }

    @Test
    void hintsCoverScriptsAndTypesReadByExpressions() {
        RuntimeHints hints = new RuntimeHints();
        new BoltworkRuntimeHints().registerHints(hints, getClass().getClassLoader());
        assertThat(RuntimeHintsPredicates.resource().forResource("io/boltwork/redis/acquire.lua"))
                .accepts(hints);
        assertThat(RuntimeHintsPredicates.resource().forResource("io/boltwork/redis/include/time.lua"))
                .accepts(hints);
        assertInvoked(hints, LockExpressionRoot.class, "getArgs");
        assertThat(RuntimeHintsPredicates.reflection().onFieldAccess(LettuceConnectionFactory.class, "configuration"))
                .accepts(hints);
    }

    @Test
    void hintsCoverMethodsOfExpressionsAndFallbacks() throws Exception {
        RuntimeHints hints = hints(Shop.class);
        assertInvoked(hints, Order.class, "getCustomer");
        assertInvoked(hints, Customer.class, "id");
        assertThat(RuntimeHintsPredicates.reflection().onFieldAccess(Order.class, "region"))
                .accepts(hints);
        assertInvoked(hints, Regions.class, "current");
        assertInvoked(hints, Line.class, "item");
        assertInvoked(hints, Amount.class, "cents");
        assertInvoked(hints, String.class, "length");
        assertInvoked(hints, Shop.class, "open");
        assertThat(RuntimeHintsPredicates.reflection()
                        .onMethodInvocation(
                                Shop.class.getDeclaredMethod("busy", Order.class, LockRefusedException.class)))
                .accepts(hints);
        assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Locale.class.getMethod("getDefault")))
                .accepts(hints);
    }

    @Test
    void hintsCoverLockedMethods() {
        assertInvoked(hints(Plain.class), Plain.class, "run");
    }

    @Test
    void noHintsWithoutLocks() {
        DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
        beans.registerBeanDefinition("unlocked", new RootBeanDefinition(Unlocked.class));
        assertThat(new LockHints().processAheadOfTime(beans)).isNull();
    }

    @Test
    void springFindsTheRegistrar() {
        assertThat(AotServices.factories(getClass().getClassLoader()).load(BeanFactoryInitializationAotProcessor.class))
                .hasAtLeastOneElementOfType(LockHints.class);
    }

    private static void assertInvoked(RuntimeHints hints, Class<?> type, String method) {
        assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(type, method))
                .accepts(hints);
    }

    private static RuntimeHints hints(Class<?> type) {
        DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
        beans.registerBeanDefinition("shop", new RootBeanDefinition(type));
        beans.registerBeanDefinition("regions", new RootBeanDefinition(Regions.class));
        BeanFactoryInitializationAotContribution contribution = new LockHints().processAheadOfTime(beans);
        DefaultGenerationContext generation = new DefaultGenerationContext(
                new ClassNameGenerator(ClassName.get(NativeHintsTest.class)), new InMemoryGeneratedFiles());
        contribution.applyTo(generation, mock(BeanFactoryInitializationCode.class));
        return generation.getRuntimeHints();
    }
}
