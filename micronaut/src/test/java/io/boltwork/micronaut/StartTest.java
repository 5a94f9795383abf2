// SPDX-License-Identifier: Apache-2.0
package io.boltwork.micronaut;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.LockClient;
import io.boltwork.annotation.CurrentLease;
import io.boltwork.annotation.DistributedLock;
import io.boltwork.annotation.LockNaming;
import io.boltwork.annotation.OnRefused;
import io.boltwork.memory.MemoryBackend;
import io.micronaut.context.ApplicationContext;
import io.micronaut.context.RuntimeBeanDefinition;
import io.micronaut.context.annotation.Bean;
import io.micronaut.context.annotation.Factory;
import io.micronaut.context.annotation.Requires;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Settings, clients and mistakes at the start. */
class StartTest {
    @Singleton
    static class Plain {
        @DistributedLock("plain:{item}")
        String name(String item) {
            return Shop.lockName();
        }

        @DistributedLock(name = "${plain.name:other}", client = "${plain.client:}")
        String configured() {
            return CurrentLease.find().map(each -> each.lockName()).orElse("none");
        }
    }

    private static ApplicationContext run(Map<String, Object> settings) {
        return ApplicationContext.run(settings);
    }

    private static Map<String, Object> with(String... pairs) {
        Map<String, Object> settings = new HashMap<>(Map.of("boltwork.backend", "memory"));
        for (int i = 0; i < pairs.length; i += 2) {
            settings.put(pairs[i], pairs[i + 1]);
        }
        return settings;
    }

    @Test
    void settingsApplyToNames() {
        try (ApplicationContext application = run(with("boltwork.lock.prefix", "shop:", "plain.name", "chosen"))) {
            assertThat(application.getBean(Plain.class).name("a")).isEqualTo("shop:plain:a");
            assertThat(application.getBean(Plain.class).configured()).isEqualTo("shop:chosen");
        }
    }

    @Test
    void aGroupCanBeDisabled() {
        try (ApplicationContext application = run(with("boltwork.lock.names.other.enabled", "false"))) {
            assertThat(application.getBean(Plain.class).configured()).isEqualTo("none");
        }
    }

    @Test
    void allLocksCanBeDisabled() {
        try (ApplicationContext application = run(Map.of("boltwork.enabled", "false"))) {
            assertThat(application.getBean(Plain.class).configured()).isEqualTo("none");
        }
    }

    @Singleton
    @Requires(property = "boltwork.clients.orders.backend")
    static class Clients {
        final LockClient primary;
        final LockClient orders;

        Clients(LockClient primary, @Named("orders") LockClient orders) {
            this.primary = primary;
            this.orders = orders;
        }
    }

    @Test
    void thereCanBeSeveralClients() {
        try (ApplicationContext application = run(with(
                "boltwork.clients.orders.backend", "memory",
                "boltwork.clients.orders.lock.prefix", "o:",
                "plain.client", "orders"))) {
            assertThat(application.getBean(Plain.class).configured()).isEqualTo("o:other");
            Clients clients = application.getBean(Clients.class);
            assertThat(clients.orders).isNotSameAs(clients.primary);
        }
    }

    @Factory
    @Requires(property = "own")
    static class OwnClient {
        @Singleton
        @Bean(preDestroy = "close")
        LockClient client() {
            return LockClient.create(MemoryBackend.create());
        }

        @Singleton
        LockNaming naming() {
            return call -> "tenant:" + call.lockName();
        }
    }

    @Test
    void beansOfTheApplicationTakePrecedence() {
        try (ApplicationContext application = run(Map.of("own", "true"))) {
            assertThat(application.getBean(Plain.class).name("a")).isEqualTo("tenant:plain:a");
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    boltwork.lock.wait-four | 1s | The nearest one is boltwork.lock.wait-for.
                    boltwork.clients.a.redis.url | x | The nearest one is boltwork.clients.a.redis.uri.
                    boltwork.slice | 5 | boltwork.slice = '5': '5' has no unit. Write a duration
                    boltwork.lock.mode | never | It must be one of default, lock, try, skip.
                    boltwork.lock.names.plane.lease | 5s | The nearest one is boltwork.lock.names.plain
                    boltwork.metrics.max-groups | 0 | It must be at least 1.
                    boltwork.backend | mongo | It must be one of redis, memory.
                    """)
    void aWrongSettingEndsTheStart(String key, String value, String message) {
        assertThatThrownBy(() -> run(with(key, value)).close()).hasStackTraceContaining(message);
    }

    @Test
    void aMissingOrWrongAddressEndsTheStart() {
        assertThatThrownBy(() -> run(Map.of()).close()).hasStackTraceContaining("boltwork.redis.uri: It is missing.");
        assertThatThrownBy(() ->
                        run(Map.of("boltwork.redis.uri", "http://:secret@x")).close())
                .hasStackTraceContaining("boltwork.redis.uri: ")
                .satisfies(wrong -> assertThat(stackTrace(wrong)).doesNotContain("secret"));
    }

    private static String stackTrace(Throwable thrown) {
        StringWriter text = new StringWriter();
        thrown.printStackTrace(new PrintWriter(text, true));
        return text.toString();
    }

    static final class Mistakes {
        record Order(String id, double price, List<String> tags) {}

        @Singleton
        @Requires(property = "mistake", value = "Unknown")
        static class Unknown {
            @DistributedLock("a:{itm}")
            void sell(String item) {}
        }

        @Singleton
        @Requires(property = "mistake", value = "NoProperty")
        static class NoProperty {
            @DistributedLock("a:{order.ident}")
            void sell(Order order) {}
        }

        @Singleton
        @Requires(property = "mistake", value = "Unusable")
        static class Unusable {
            @DistributedLock("a:{order.price}")
            void sell(Order order) {}
        }

        @Singleton
        @Requires(property = "mistake", value = "Unclosed")
        static class Unclosed {
            @DistributedLock("a:{item")
            void sell(String item) {}
        }

        @Singleton
        @Requires(property = "mistake", value = "Unopened")
        static class Unopened {
            @DistributedLock("a:item}")
            void sell(String item) {}
        }

        @Singleton
        @Requires(property = "mistake", value = "NoSetting")
        static class NoSetting {
            @DistributedLock("${none}")
            void sell() {}
        }

        @Singleton
        @Requires(property = "mistake", value = "NoExpression")
        static class NoExpression {
            @DistributedLock(name = "a", condition = "item ==")
            void sell(String item) {}
        }

        @Singleton
        @Requires(property = "mistake", value = "NoFallback")
        static class NoFallback {
            @DistributedLock(name = "a", onRefused = OnRefused.FALLBACK, fallback = "none")
            void sell() {}
        }

        @Singleton
        @Requires(property = "mistake", value = "NoClient")
        static class NoClient {
            @DistributedLock(name = "a", client = "ordres")
            void sell() {}
        }

        interface Seller {
            @DistributedLock("a")
            void sell();
        }

        @Singleton
        @Requires(property = "mistake", value = "OfInterface")
        static class OfInterface implements Seller {
            @Override
            public void sell() {}
        }

        @Singleton
        @Requires(property = "mistake", value = "Endless")
        static class Endless {
            @DistributedLock("a")
            Stream<String> sell() {
                return Stream.of();
            }
        }
    }

    static Stream<Arguments> mistakes() {
        return Stream.of(
                Arguments.of(Mistakes.Unknown.class, "there is no parameter 'itm'", "The parameters are item."),
                Arguments.of(
                        Mistakes.NoProperty.class,
                        "'order' is a " + Mistakes.Order.class.getName() + ", which has no property 'ident'",
                        "Its properties are id, price, tags"),
                Arguments.of(Mistakes.Unusable.class, "'order.price' is a java.lang.Double", "Use a whole number"),
                Arguments.of(Mistakes.Unclosed.class, "a brace has no counterpart", "{{ or }}"),
                Arguments.of(Mistakes.Unopened.class, "a brace has no counterpart", "{{ or }}"),
                Arguments.of(Mistakes.NoSetting.class, "there is no setting none", "${name:default}"),
                Arguments.of(Mistakes.NoExpression.class, "'item ==' is not a valid expression", "amount > 100"),
                Arguments.of(Mistakes.NoFallback.class, "has no such method", "Give it the return type"),
                Arguments.of(Mistakes.NoClient.class, "there is no LockClient with this name", "The clients are"),
                Arguments.of(
                        Mistakes.OfInterface.class,
                        "annotations of interfaces and of overridden methods are not inherited",
                        "Annotate that"),
                Arguments.of(Mistakes.Endless.class, "whose end cannot be observed", "a Mono or a Flux"));
    }

    @ParameterizedTest
    @MethodSource("mistakes")
    void aMistakeInAnAnnotationEndsTheStart(Class<?> bean, String problem, String action) {
        assertThatThrownBy(() -> run(with("mistake", bean.getSimpleName())).close())
                .hasStackTraceContaining("@DistributedLock")
                .hasStackTraceContaining("sell(")
                .hasStackTraceContaining(problem)
                .hasStackTraceContaining(action);
    }

    /** A class that is no bean for the annotation processor. */
    static class Unadvised {
        @DistributedLock("a")
        void sell() {}
    }

    @Test
    void anAnnotationThatTheProcessorDoesNotKnowEndsTheStart() {
        assertThatThrownBy(() -> ApplicationContext.builder()
                        .properties(with())
                        .beanDefinitions(RuntimeBeanDefinition.of(new Unadvised()))
                        .start()
                        .close())
                .hasStackTraceContaining("because Micronaut's annotation processor does not know it")
                .hasStackTraceContaining("Add boltwork-micronaut to the annotation processor path");
    }
}
