// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.annotation.DistributedLock;
import io.boltwork.annotation.LockInterruptedException;
import io.boltwork.spring.LockTemplate;
import io.boltwork.testkit.wait.Await;
import io.micrometer.context.ContextRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.ResponseEntity;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

/** If a method's declared type does not show when its work ends, the returned value decides. */
class DeferredResultsTest {
    private static final ThreadLocal<String> TRACE = new ThreadLocal<>();
    private static final int CALLERS = 5;

    private static ConfigurableApplicationContext application;
    private static LockClient locks;
    private static Desk desk;

    @BeforeAll
    static void start() {
        application = new SpringApplicationBuilder(App.class)
                .web(WebApplicationType.NONE)
                .properties("boltwork.backend=memory", "spring.main.banner-mode=off")
                .run();
        locks = application.getBean(LockClient.class);
        desk = application.getBean(Desk.class);
        ContextRegistry.getInstance().registerThreadLocalAccessor("trace", TRACE);
    }

    @AfterAll
    static void close() {
        ContextRegistry.getInstance().removeThreadLocalAccessor("trace");
        application.close();
    }

    @AfterEach
    void nothingIsLeft() {
        Await.until("the lock is free", () -> !locks.lock("desk").isLocked());
        TRACE.remove();
    }

    static class Desk {
        private final AtomicInteger inside = new AtomicInteger();
        private int most;

        int most() {
            return most;
        }

        void enter() {
            most = Math.max(most, inside.incrementAndGet());
        }

        void leave() {
            inside.decrementAndGet();
        }

        @DistributedLock("desk")
        public <T> T any(Supplier<T> work) {
            return work.get();
        }

        @DistributedLock("desk")
        public Object anything(Supplier<?> work) {
            return work.get();
        }

        @DistributedLock("desk")
        public Object withLease(Supplier<?> work, Lease lease) {
            return work.get();
        }

        @DistributedLock("desk")
        public ResponseEntity<?> entity(Supplier<?> work) {
            return ResponseEntity.ok(work.get());
        }

        @DistributedLock("desk")
        public Optional<Object> optional(Supplier<?> work) {
            return Optional.of(work.get());
        }

        @DistributedLock("desk")
        public CompletableFuture<String> later(Supplier<String> work) {
            return CompletableFuture.completedFuture(work.get());
        }

        @DistributedLock("desk")
        public Mono<String> mono(Supplier<String> work) {
            return Mono.just(work.get());
        }
    }

    @Test
    void anyStageResultExcludesOtherCallers() throws Exception {
        ExecutorService callers = Executors.newFixedThreadPool(CALLERS);
        ExecutorService workers = Executors.newCachedThreadPool();
        try {
            List<Future<?>> calls = new ArrayList<>();
            for (int i = 0; i < 20 * CALLERS; i++) {
                calls.add(callers.submit(() -> desk.any(() -> {
                    desk.enter();
                    return CompletableFuture.runAsync(
                            () -> {
                                Thread.yield();
                                desk.leave();
                            },
                            workers);
                })));
            }
            for (Future<?> call : calls) {
                ((CompletableFuture<?>) call.get(20, TimeUnit.SECONDS)).get(20, TimeUnit.SECONDS);
            }
        } finally {
            callers.shutdownNow();
            workers.shutdownNow();
        }
        assertThat(desk.most()).isEqualTo(1);
    }

    @Test
    void stageHoldsTheLockWithAnyDeclaredType() throws Exception {
        CompletableFuture<String> work = new CompletableFuture<>();
        CompletableFuture<?> result = (CompletableFuture<?>) desk.anything(() -> work);
        assertThat(locks.lock("desk").isLocked()).isTrue();
        assertThat(result).isNotDone();
        work.complete("done");
        assertThat(result.get(5, TimeUnit.SECONDS)).isEqualTo("done");
        assertThat(locks.lock("desk").isLocked()).isFalse();
        assertThat(desk.anything(() -> "plain")).isEqualTo("plain");
        assertThat(locks.lock("desk").isLocked()).isFalse();
    }

    @Test
    void nextCallOfTheSameThreadWaitsForTheStage() throws Exception {
        CompletableFuture<String> first = new CompletableFuture<>();
        CompletableFuture<Boolean> returned = new CompletableFuture<>();
        AtomicInteger begun = new AtomicInteger();
        Thread caller = new Thread(() -> {
            desk.anything(() -> first);
            returned.complete(true);
            desk.anything(begun::incrementAndGet);
        });
        caller.start();
        returned.get(5, TimeUnit.SECONDS);
        Await.until("the second call waits", () -> locks.waiting() == 1);
        assertThat(begun).hasValue(0);
        first.complete("done");
        caller.join();
        assertThat(begun).hasValue(1);
    }

    @Test
    void anInterruptEndsTheWaitForAStage() throws Exception {
        CompletableFuture<String> first = new CompletableFuture<>();
        CompletableFuture<?> result = (CompletableFuture<?>) desk.anything(() -> first);
        AtomicInteger begun = new AtomicInteger();
        Thread.currentThread().interrupt();
        assertThatExceptionOfType(LockInterruptedException.class)
                .isThrownBy(() -> desk.anything(begun::incrementAndGet));
        assertThat(Thread.interrupted()).isTrue();
        Await.until("no caller waits", () -> locks.waiting() == 0);
        first.complete("done");
        assertThat(result.get(5, TimeUnit.SECONDS)).isEqualTo("done");
        assertThat(begun).hasValue(0);
    }

    @Test
    void nestedCallEntersAgain() {
        assertThat(desk.<Integer>any(() -> desk.any(() -> locks.lock("desk").holdCount())))
                .isEqualTo(2);
        CompletableFuture<String> inner = new CompletableFuture<>();
        assertThat(desk.<Integer>any(() -> {
                    desk.anything(() -> inner);
                    return desk.any(() -> locks.lock("desk").holdCount());
                }))
                .isEqualTo(3);
        assertThat(locks.lock("desk").isLocked()).isTrue();
        inner.complete("done");
    }

    @Test
    void eachSubscriptionToAReactiveResultTakesTheLock() {
        Mono<Boolean> mono =
                desk.any(() -> Mono.fromSupplier(() -> locks.lock("desk").isLocked()));
        assertThat(locks.lock("desk").isLocked()).isFalse();
        StepVerifier.create(mono.concatWith(mono)).expectNext(true, true).verifyComplete();
        assertThatIllegalStateException()
                .isThrownBy(() -> desk.withLease(() -> mono, null))
                .withMessageContaining("Mono");
    }

    @Test
    void resultsWithoutAKnownEndAreErrors() {
        AtomicInteger closed = new AtomicInteger();
        assertEndless(() -> new FutureTask<>(() -> "x"));
        assertEndless(() -> Stream.of("x").onClose(closed::incrementAndGet));
        assertThat(closed).hasValue(1);
        assertEndless(() -> (Callable<String>) () -> "x");
        assertThatIllegalStateException().isThrownBy(() -> desk.entity(() -> Mono.just("x")));
        assertThatIllegalStateException().isThrownBy(() -> desk.optional(() -> Stream.of("x")));
        assertThat(desk.entity(() -> "x").getBody()).isEqualTo("x");
    }

    private static void assertEndless(Supplier<?> work) {
        assertThatIllegalStateException()
                .isThrownBy(() -> desk.anything(work))
                .withMessageContaining("Desk.anything(Supplier)")
                .withMessageContaining("CompletableFuture");
        assertThat(locks.lock("desk").isLocked()).isFalse();
    }

    @Test
    void bodiesAreExecutedOnTheClientsExecutor() throws Exception {
        String caller = Thread.currentThread().getName();
        for (int i = 0; i < 200; i++) { // the lock is free, so the method may begin before the call returns
            assertThat(desk.later(() -> Thread.currentThread().getName()).get(5, TimeUnit.SECONDS))
                    .isNotEqualTo(caller);
            assertThat(desk.mono(() -> Thread.currentThread().getName()).block())
                    .isNotEqualTo(caller);
        }
    }

    @Test
    void bodiesHaveTheCallersContext() throws Exception {
        TRACE.set("trace-1");
        assertThat(desk.later(TRACE::get).get(5, TimeUnit.SECONDS)).isEqualTo("trace-1");
        assertThat(desk.mono(TRACE::get).block()).isEqualTo("trace-1");
        assertThat(desk.mono(TRACE::get)
                        .contextWrite(context -> context.put("trace", "trace-2"))
                        .block())
                .isEqualTo("trace-2");
        assertThat(new LockTemplate(locks)
                        .executeAsync("desk", lease -> CompletableFuture.completedFuture(TRACE.get()))
                        .get(5, TimeUnit.SECONDS))
                .isEqualTo("trace-1");
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration(excludeName = "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration")
    @Import(Desk.class)
    static class App {}
}
