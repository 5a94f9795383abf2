// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.boltwork.BackendException;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.LockException;
import io.boltwork.annotation.CurrentLease;
import io.boltwork.annotation.DistributedLock;
import io.boltwork.annotation.LockMode;
import io.boltwork.annotation.LockRefusedException;
import io.boltwork.annotation.OnRefused;
import io.boltwork.annotation.OnUnavailable;
import io.boltwork.memory.MemoryBackend;
import io.boltwork.spring.TestApplication;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.springframework.aop.support.AopUtils;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import reactor.core.publisher.Mono;

/** Tests the results of methods that are not executed. */
class FallbackTest {

    static class Desk {
        private final String name;

        /** An instance field, because a proxy has no value in it. */
        Desk() {
            name = "desk";
        }

        @DistributedLock(
                name = "busy",
                mode = LockMode.TRY,
                onRefused = OnRefused.FALLBACK,
                onUnavailable = OnUnavailable.FALLBACK,
                fallback = {"instead", "other"})
        public String both(String item) {
            return item;
        }

        String instead(String item, LockRefusedException refused) {
            return name + " refused " + item + " " + refused.lockName();
        }

        private String other(String item, LockException any) {
            return name + " without " + item + " " + any.getClass().getSimpleName();
        }

        @DistributedLock(
                name = "busy",
                mode = LockMode.TRY,
                onRefused = OnRefused.FALLBACK,
                fallback = {"other", "instead"})
        public String generalOneFirst(String item) {
            return item;
        }

        @DistributedLock(
                name = "busy",
                mode = LockMode.TRY,
                onRefused = OnRefused.FALLBACK,
                onUnavailable = OnUnavailable.FALLBACK,
                fallback = "overloaded")
        public String underOneName() {
            return "done";
        }

        String overloaded(LockRefusedException refused) {
            return "refused";
        }

        String overloaded(BackendException outage) {
            return "outage";
        }

        @DistributedLock(name = "busy", mode = LockMode.TRY, onRefused = OnRefused.FALLBACK, fallback = "finalInstead")
        public String withAFinalFallback() {
            return "done";
        }

        protected final String finalInstead() {
            return "final of " + name;
        }

        @DistributedLock(
                name = "busy",
                mode = LockMode.TRY,
                onUnavailable = OnUnavailable.FALLBACK,
                fallback = "stageInstead")
        public CompletableFuture<String> stage() {
            return CompletableFuture.completedFuture("done");
        }

        CompletableFuture<String> stageInstead(BackendException outage) {
            return CompletableFuture.completedFuture("outage " + outage.isRetryable());
        }

        @DistributedLock(
                name = "busy",
                mode = LockMode.TRY,
                onUnavailable = OnUnavailable.FALLBACK,
                fallback = "monoInstead")
        public Mono<String> mono() {
            return Mono.just("done");
        }

        Mono<String> monoInstead() {
            return Mono.just("outage");
        }

        @DistributedLock(name = "busy", mode = LockMode.TRY, onUnavailable = OnUnavailable.RETURN_NULL)
        public String nothing() {
            return "done";
        }

        @DistributedLock(name = "busy", mode = LockMode.TRY, onUnavailable = OnUnavailable.RETURN_NULL)
        public Mono<String> monoOfNothing() {
            return Mono.just("done");
        }

        @DistributedLock(name = "busy", mode = LockMode.SKIP, onUnavailable = OnUnavailable.RETURN_NULL)
        public Optional<String> skipped() {
            return Optional.of("done");
        }

        @DistributedLock(name = "busy", mode = LockMode.TRY)
        public String plain() {
            return "done";
        }

        @DistributedLock(name = "own", onUnavailable = OnUnavailable.FALLBACK, mode = LockMode.TRY, fallback = "never")
        public String failsItself(BackendException own) {
            throw own;
        }

        String never(BackendException own) {
            return "never";
        }

        @DistributedLock(name = "busy", mode = LockMode.TRY, onRefused = OnRefused.FALLBACK, fallback = "lockedInstead")
        public String throughTheProxy() {
            return "done";
        }

        @DistributedLock("instead")
        protected String lockedInstead() {
            return CurrentLease.find().map(Lease::lockName).orElse("not locked") + " " + name;
        }
    }

    private static void run(Consumer<AssertableApplicationContext> test) {
        ApplicationContextRunner application = TestApplication.memory()
                .withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class))
                .withBean(Desk.class);
        application.run(context -> {
            assertThat(context).hasNotFailed();
            test.accept(context);
        });
    }

    private static void whileRefused(Consumer<Desk> test) {
        run(context -> {
            try (Lease lease = TestApplication.elsewhere(context.getBean(LockClient.class), "busy")) {
                test.accept(context.getBean(Desk.class));
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
    }

    private static void whileUnavailable(Consumer<Desk> test) {
        run(context -> {
            context.getBean(MemoryBackend.class).server().freeze();
            try {
                test.accept(context.getBean(Desk.class));
            } finally {
                context.getBean(MemoryBackend.class).server().thaw();
            }
        });
    }

    @Test
    void nearestExceptionTypeChoosesTheFallback() {
        whileRefused(desk -> assertThat(desk.both("x")).isEqualTo("desk refused x busy"));
        whileUnavailable(desk -> assertThat(desk.both("x")).isEqualTo("desk without x BackendException"));
        run(context -> assertThat(context.getBean(Desk.class).both("x")).isEqualTo("x"));
    }

    @Test
    void mostSpecificFallbackNeedNotBeNamedFirst() {
        whileRefused(desk -> assertThat(desk.generalOneFirst("x")).isEqualTo("desk refused x busy"));
    }

    @Test
    void fallbacksMayBeOverloadsOfOneName() {
        whileRefused(desk -> assertThat(desk.underOneName()).isEqualTo("refused"));
    }

    @Test
    void outagesHaveFallbacksToo() {
        whileUnavailable(desk -> {
            assertThat(desk.nothing()).isNull();
            assertThat(desk.skipped()).isEmpty();
            assertThatExceptionOfType(BackendException.class).isThrownBy(desk::plain);
        });
        whileRefused(
                desk -> assertThatExceptionOfType(LockRefusedException.class).isThrownBy(desk::nothing));
    }

    @Test
    void asynchronousMethodsHaveFallbacksForOutagesToo() {
        whileUnavailable(desk -> {
            assertThat(desk.stage().orTimeout(30, TimeUnit.SECONDS).join()).isEqualTo("outage true");
            assertThat(desk.mono().block(Duration.ofSeconds(30))).isEqualTo("outage");
            assertThat(desk.monoOfNothing().block(Duration.ofSeconds(30))).isNull();
        });
    }

    @Test
    void methodsOwnBackendExceptionIsNoOutage() {
        run(context -> {
            BackendException own = new BackendException("own", true, null);
            assertThatExceptionOfType(BackendException.class)
                    .isThrownBy(() -> context.getBean(Desk.class).failsItself(own))
                    .isSameAs(own);
        });
    }

    @Test
    void fallbacksAreCalledThroughTheProxy() {
        whileRefused(desk -> assertThat(desk.throughTheProxy()).isEqualTo("instead desk"));
    }

    @Test
    void finalFallbackIsCalledOnTheBeanItself() {
        whileRefused(desk -> assertThat(desk.withAFinalFallback()).isEqualTo("final of desk"));
    }

    interface Service {
        String serve();

        String lockedInstead();
    }

    static class ServiceDesk implements Service {
        @Override
        @DistributedLock(name = "busy", mode = LockMode.TRY, onRefused = OnRefused.FALLBACK, fallback = "lockedInstead")
        public String serve() {
            return "done";
        }

        @Override
        @DistributedLock("instead")
        public String lockedInstead() {
            return CurrentLease.find().map(Lease::lockName).orElse("not locked");
        }
    }

    @Test
    void fallbacksAreCalledThroughProxiesOfInterfacesToo() {
        TestApplication.memory().withBean(ServiceDesk.class).run(context -> {
            Service service = context.getBean(Service.class);
            assertThat(AopUtils.isJdkDynamicProxy(service)).isTrue();
            try (Lease lease = TestApplication.elsewhere(context.getBean(LockClient.class), "busy")) {
                assertThat(lease.isValid()).isTrue();
                assertThat(service.serve()).isEqualTo("instead");
            }
        });
    }
}
