// SPDX-License-Identifier: Apache-2.0
package io.boltwork.cdi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.LockClient;
import io.boltwork.annotation.CurrentLease;
import io.boltwork.annotation.DistributedLock;
import io.boltwork.annotation.LockNaming;
import io.boltwork.annotation.OnRefused;
import io.boltwork.memory.MemoryBackend;
import jakarta.enterprise.inject.Disposes;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Inject;
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
    private static final Map<String, String> MEMORY = Map.of("boltwork.backend", "memory");

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

    private static Map<String, String> with(String... pairs) {
        Map<String, String> settings = new HashMap<>(MEMORY);
        for (int i = 0; i < pairs.length; i += 2) {
            settings.put(pairs[i], pairs[i + 1]);
        }
        return settings;
    }

    @Test
    void settingsApplyToNames() {
        try (Application application =
                Application.start(with("boltwork.lock.prefix", "shop:", "plain.name", "chosen"), Plain.class)) {
            assertThat(application.get(Plain.class).name("a")).isEqualTo("shop:plain:a");
            assertThat(application.get(Plain.class).configured()).isEqualTo("shop:chosen");
        }
    }

    @Test
    void aGroupCanBeDisabled() {
        try (Application application =
                Application.start(with("boltwork.lock.names.other.enabled", "false"), Plain.class)) {
            assertThat(application.get(Plain.class).configured()).isEqualTo("none");
        }
    }

    @Test
    void allLocksCanBeDisabled() {
        try (Application application = Application.start(Map.of("boltwork.enabled", "false"), Plain.class)) {
            assertThat(application.get(Plain.class).configured()).isEqualTo("none");
        }
    }

    @Singleton
    static class Clients {
        @Inject
        LockClient primary;

        @Inject
        @ClientName("orders")
        LockClient orders;
    }

    @Test
    void thereCanBeSeveralClients() {
        try (Application application = Application.start(
                with(
                        "boltwork.clients.orders.backend", "memory",
                        "boltwork.clients.orders.lock.prefix", "o:",
                        "plain.client", "orders"),
                Plain.class,
                Clients.class)) {
            assertThat(application.get(Plain.class).configured()).isEqualTo("o:other");
            Clients clients = application.get(Clients.class);
            assertThat(clients.orders).isNotSameAs(clients.primary);
        }
    }

    @Singleton
    static class OwnClient {
        @Produces
        @Singleton
        LockClient client() {
            return LockClient.create(MemoryBackend.create());
        }

        void close(@Disposes LockClient client) {
            client.close();
        }

        @Produces
        LockNaming naming() {
            return call -> "tenant:" + call.lockName();
        }
    }

    @Test
    void beansOfTheApplicationTakePrecedence() {
        try (Application application = Application.start(Map.of(), Plain.class, OwnClient.class)) {
            assertThat(application.get(Plain.class).name("a")).isEqualTo("tenant:plain:a");
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
        assertThatThrownBy(
                        () -> Application.start(with(key, value), Plain.class).close())
                .hasStackTraceContaining(message);
    }

    @Test
    void aMissingOrWrongAddressEndsTheStart() {
        assertThatThrownBy(() -> Application.start(Map.of(), Plain.class).close())
                .hasStackTraceContaining("boltwork.redis.uri: It is missing.");
        assertThatThrownBy(() -> Application.start(Map.of("boltwork.redis.uri", "http://:secret@x"), Plain.class)
                        .close())
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
        static class Unknown {
            @DistributedLock("a:{itm}")
            void sell(String item) {}
        }

        @Singleton
        static class NoProperty {
            @DistributedLock("a:{order.ident}")
            void sell(Order order) {}
        }

        @Singleton
        static class Unusable {
            @DistributedLock("a:{order.price}")
            void sell(Order order) {}
        }

        @Singleton
        static class Unclosed {
            @DistributedLock("a:{item")
            void sell(String item) {}
        }

        @Singleton
        static class Unopened {
            @DistributedLock("a:item}")
            void sell(String item) {}
        }

        @Singleton
        static class NoSetting {
            @DistributedLock("${none}")
            void sell() {}
        }

        @Singleton
        static class NoExpression {
            @DistributedLock(name = "a", condition = "item ==")
            void sell(String item) {}
        }

        @Singleton
        static class NoFallback {
            @DistributedLock(name = "a", onRefused = OnRefused.FALLBACK, fallback = "none")
            void sell() {}
        }

        @Singleton
        static class NoClient {
            @DistributedLock(name = "a", client = "ordres")
            void sell() {}
        }

        interface Seller {
            @DistributedLock("a")
            void sell();
        }

        @Singleton
        static class OfInterface implements Seller {
            @Override
            public void sell() {}
        }

        @Singleton
        static class Private {
            @DistributedLock("a")
            private void sell() {}

            void call() {
                sell();
            }
        }

        @Singleton
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
                Arguments.of(Mistakes.Private.class, "it is private, static or final", "Make it an instance method"),
                Arguments.of(Mistakes.Endless.class, "whose end cannot be observed", "a Uni or a Multi"));
    }

    @ParameterizedTest
    @MethodSource("mistakes")
    void aMistakeInAnAnnotationEndsTheStart(Class<?> bean, String problem, String action) {
        assertThatThrownBy(() -> Application.start(MEMORY, bean).close())
                .hasStackTraceContaining("@DistributedLock")
                .hasStackTraceContaining("sell(")
                .hasStackTraceContaining(problem)
                .hasStackTraceContaining(action);
    }
}
