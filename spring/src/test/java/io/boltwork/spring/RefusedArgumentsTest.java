// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.boltwork.ClientClosedException;
import io.boltwork.InvalidNameException;
import io.boltwork.LockClient;
import io.boltwork.annotation.DistributedLock;
import io.boltwork.spring.autoconfigure.BoltworkAutoConfiguration;
import io.boltwork.spring.autoconfigure.DistributedLockAutoConfiguration;
import io.boltwork.testkit.wait.Slack;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A call whose lock depends on a missing argument is refused, and its method is not executed. */
class RefusedArgumentsTest {
    private static ConfigurableApplicationContext application;
    private static Till till;
    private static LockClient locks;

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({BoltworkAutoConfiguration.class, DistributedLockAutoConfiguration.class})
    @Import(Till.class)
    static class App {}

    @BeforeAll
    static void start() {
        application = start(new SpringApplicationBuilder(App.class));
        till = application.getBean(Till.class);
        locks = application.getBean(LockClient.class);
    }

    private static ConfigurableApplicationContext start(SpringApplicationBuilder builder) {
        return builder.web(WebApplicationType.NONE)
                .properties("spring.main.banner-mode=off", "boltwork.backend=memory")
                .run();
    }

    @AfterAll
    static void stop() {
        application.close();
    }

    /** Properties of an order. */
    public record Order(@Nullable Boolean urgent, @Nullable Long amount, Optional<Boolean> paid) {}

    static class Till {
        private final LockClient client;
        int executed;

        Till(LockClient client) {
            this.client = client;
        }

        private boolean held() {
            executed++;
            return client.lock("x").isHeldByCurrentThread();
        }

        @DistributedLock(name = "x", condition = "#amount > 100")
        public boolean compared(@Nullable Long amount) {
            return held();
        }

        @DistributedLock(name = "x", condition = "#amount <= 100 or #amount between {200, 300}")
        public boolean between(@Nullable Object amount) {
            return held();
        }

        @DistributedLock(name = "x", condition = "#amount != null and #amount > 100")
        public boolean decided(@Nullable Long amount) {
            return held();
        }

        @DistributedLock(name = "x", condition = "#flag")
        public boolean flag(@Nullable Boolean flag) {
            return held();
        }

        @DistributedLock(name = "x", condition = "!#flag")
        public boolean not(@Nullable Boolean flag) {
            return held();
        }

        @DistributedLock(name = "x", condition = "#one and #other")
        public boolean both(@Nullable Boolean one, @Nullable Boolean other) {
            return held();
        }

        @DistributedLock(name = "x", condition = "#order.urgent")
        public boolean property(@Nullable Order order) {
            return held();
        }

        @DistributedLock(name = "x", condition = "#order?.amount > 100")
        public boolean amount(@Nullable Order order) {
            return held();
        }

        @DistributedLock(name = "x", condition = "#order.paid")
        public boolean optional(Order order) {
            return held();
        }

        @DistributedLock(name = "x", condition = "#map['flag']")
        public boolean entry(Map<String, Boolean> map) {
            return held();
        }

        @DistributedLock(name = "x", condition = "#object")
        public boolean object(@Nullable Object object) {
            return held();
        }

        @DistributedLock(name = "x", condition = "#item matches '[a-z]+'")
        public boolean matching(@Nullable String item) {
            return held();
        }

        @DistributedLock(name = "x", keys = "#flag ? 'a' : 'b'")
        public boolean chosen(@Nullable Boolean flag) {
            return held();
        }

        @DistributedLock(name = "x", keys = "#amount > 100 ? 'a' : 'b'")
        public boolean size(@Nullable Long amount) {
            return held();
        }

        @DistributedLock(name = "x", keys = "#item")
        public CompletableFuture<Boolean> future(@Nullable Object item) {
            return CompletableFuture.completedFuture(held());
        }

        @DistributedLock(name = "x", keys = "#item")
        public CompletionStage<Boolean> stage(@Nullable Object item) {
            return CompletableFuture.completedStage(held());
        }

        @DistributedLock(name = "x", keys = "#item")
        public Mono<Boolean> mono(@Nullable Object item) {
            return Mono.fromSupplier(this::held);
        }

        @DistributedLock(name = "x", keys = "#item")
        public Flux<Boolean> flux(@Nullable Object item) {
            return Flux.defer(() -> Flux.just(held()));
        }

        @DistributedLock(name = "x", condition = "#flag")
        public CompletableFuture<Boolean> conditional(@Nullable Boolean flag) {
            return CompletableFuture.completedFuture(held());
        }
    }

    @Test
    void nullConditionIsRefused() {
        assertRefused(() -> till.compared(null), "'#amount > 100' compares a value with null");
        assertRefused(() -> till.between(null), "compares a value with null");
        assertRefused(() -> till.flag(null), "'#flag' is null");
        assertRefused(() -> till.not(null), "'!#flag' uses a value that is missing");
        assertRefused(() -> till.both(null, true), "uses a value that is missing");
        assertRefused(() -> till.both(true, null), "uses a value that is missing");
        assertRefused(() -> till.property(null), "uses a value that is missing");
        assertRefused(() -> till.property(new Order(null, null, Optional.empty())), "'#order.urgent' is null");
        assertRefused(() -> till.amount(null), "compares a value with null");
        assertRefused(() -> till.amount(new Order(null, null, Optional.empty())), "compares a value with null");
        assertRefused(() -> till.optional(new Order(null, null, Optional.empty())), "'#order.paid' is null");
        assertRefused(() -> till.entry(new HashMap<>()), "is null");
        assertRefused(() -> till.object(null), "'#object' is null");
        assertRefused(() -> till.object(Optional.empty()), "'#object' is null");
        assertRefused(() -> till.matching(null), "uses a value that is missing");
        assertRefused(() -> till.chosen(null), "#flag, which is null");
        assertRefused(() -> till.size(null), "compares a value with null");
    }

    private static void assertRefused(ThrowingCallable call, String problem) {
        int before = till.executed;
        assertThatExceptionOfType(InvalidNameException.class)
                .isThrownBy(call)
                .withMessageContaining("@DistributedLock on " + Till.class.getName())
                .withMessageContaining("of the bean '")
                .withMessageContaining(problem);
        assertThat(till.executed).isEqualTo(before);
    }

    @Test
    void conditionDecidesOnTheLock() {
        assertThat(till.compared(101L)).isTrue();
        assertThat(till.compared(100L)).isFalse();
        assertThat(till.between(250)).isTrue();
        assertThat(till.between(150)).isFalse();
        assertThat(till.decided(null)).isFalse();
        assertThat(till.decided(101L)).isTrue();
        assertThat(till.flag(true)).isTrue();
        assertThat(till.not(true)).isFalse();
        assertThat(till.both(false, null)).as("the second one does not matter").isFalse();
        assertThat(till.optional(new Order(null, null, Optional.of(true)))).isTrue();
        assertThat(till.object(Optional.of(true))).isTrue();
        assertThat(till.matching("a")).isTrue();
        assertThat(till.entry(Map.of("flag", false))).isFalse();
        for (Object other : new Object[] {"true", 1}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> till.object(other))
                    .withMessageContaining(
                            "condition = '#object' is a " + other.getClass().getName());
        }
    }

    @Test
    void asynchronousMethodsFailLater() {
        for (Object item : new @Nullable Object[] {null, "", "x".repeat(2_000), "\ud800"}) {
            assertFailed(() -> till.future(item), InvalidNameException.class);
            assertFailed(() -> till.stage(item).toCompletableFuture(), InvalidNameException.class);
            assertFailed(() -> till.mono(item).toFuture(), InvalidNameException.class);
            assertFailed(() -> till.flux(item).collectList().toFuture(), InvalidNameException.class);
        }
        assertFailed(() -> till.future(new Object()), IllegalArgumentException.class);
        assertFailed(() -> till.mono(1.5).toFuture(), IllegalArgumentException.class);
        assertFailed(() -> till.conditional(null), InvalidNameException.class);
        assertThat(till.future("a").join()).isFalse();
        assertThat(locks.lock("x:a").isLocked()).isFalse();
    }

    @Test
    void asynchronousMethodsFailLaterIfTheClientIsClosed() {
        try (ConfigurableApplicationContext closing = start(new SpringApplicationBuilder(App.class))) {
            Till other = closing.getBean(Till.class);
            closing.getBean(LockClient.class).close();
            for (CompletableFuture<?> result : List.of(
                    other.future("a"),
                    other.mono("a").toFuture(),
                    other.stage("a").toCompletableFuture())) {
                assertThat(result)
                        .failsWithin(Slack.seconds(10))
                        .withThrowableThat()
                        .withCauseInstanceOf(ClientClosedException.class);
            }
        }
    }

    private static void assertFailed(Supplier<CompletableFuture<?>> call, Class<? extends Exception> failure) {
        int before = till.executed;
        CompletableFuture<?> result = call.get();
        assertThat(result)
                .isCompletedExceptionally()
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .withCauseInstanceOf(failure)
                .withMessageContaining("Till.");
        assertThat(till.executed).isEqualTo(before);
    }
}
