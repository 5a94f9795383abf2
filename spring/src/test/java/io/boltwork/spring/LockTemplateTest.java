// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring;

import static java.util.concurrent.CompletableFuture.completedFuture;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.Lease;
import io.boltwork.LeaseLostException;
import io.boltwork.LockClient;
import io.boltwork.LockOptions;
import io.boltwork.annotation.LockInterruptedException;
import io.boltwork.annotation.LockRefusedException;
import io.boltwork.memory.MemoryBackend;
import io.boltwork.testkit.wait.Await;
import io.micrometer.observation.tck.TestObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistryAssert;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

class LockTemplateTest {
    private final LockClient locks = LockClient.create(MemoryBackend.create());
    private final LockTemplate template = new LockTemplate(locks);

    @AfterEach
    void close() {
        locks.close();
    }

    @Test
    void executesUnderTheLock() throws Exception {
        long token = template.execute("stock:1", lease -> {
            assertThat(locks.lock("stock:1").isHeldByCurrentThread()).isTrue();
            return lease.fencingToken();
        });
        assertThat(token).isPositive();
        assertThat(template.execute("stock:1", () -> "done")).isEqualTo("done");
        template.executeWithoutResult("stock:1", lease -> lease.ensureValid());
        IOException own = new IOException("own");
        assertThatThrownBy(() -> template.execute("stock:1", lease -> {
                    throw own;
                }))
                .isSameAs(own);
        assertThat(locks.lock("stock:1").isLocked()).isFalse();
    }

    @Test
    void refusalInterruptAndLossThrow() throws Exception {
        try (Lease other =
                locks.lock("stock:1").acquireAsync().toCompletableFuture().get(5, TimeUnit.SECONDS)) {
            assertThatExceptionOfType(LockRefusedException.class)
                    .isThrownBy(() -> template.withWait(Duration.ofMillis(10)).execute("stock:1", () -> "done"))
                    .withMessageContaining("10 ms");
            assertThatThrownBy(() -> template.withWait(Duration.ZERO)
                            .executeAsync("stock:1", lease -> CompletableFuture.completedFuture("done"))
                            .get(5, TimeUnit.SECONDS))
                    .hasCauseInstanceOf(LockRefusedException.class);
            Thread.currentThread().interrupt();
            assertThatExceptionOfType(LockInterruptedException.class)
                    .isThrownBy(() -> template.execute("stock:1", () -> "done"));
            assertThat(Thread.interrupted()).isTrue();
        }
        assertThatExceptionOfType(LeaseLostException.class)
                .isThrownBy(() -> template.withOptions(LockOptions.defaults())
                        .execute("stock:1", () -> locks.inspector().forceRelease("stock:1")));
    }

    @Test
    void waitMayHaveAnyLength() throws Exception {
        List<Duration> none =
                List.of(Duration.ofSeconds(Long.MIN_VALUE), Duration.ofSeconds(Long.MIN_VALUE, 5_000_000));
        List<Duration> endless = List.of(Duration.ofNanos(Long.MAX_VALUE - 1), Duration.ofSeconds(Long.MAX_VALUE));
        for (int i = 0; i < 2; i++) {
            Lease other =
                    locks.lock("stock:1").acquireAsync().toCompletableFuture().get(5, TimeUnit.SECONDS);
            LockTemplate at = template.withWait(none.get(i));
            assertThatExceptionOfType(LockRefusedException.class).isThrownBy(() -> at.execute("stock:1", () -> "done"));
            assertThatThrownBy(() -> at.executeAsync("stock:1", lease -> completedFuture("done"))
                            .get(5, TimeUnit.SECONDS))
                    .hasCauseInstanceOf(LockRefusedException.class);
            CompletableFuture<String> waits =
                    template.withWait(endless.get(i)).executeAsync("stock:1", lease -> completedFuture("done"));
            Await.until("it waits", () -> locks.waiting() == 1);
            other.release();
            assertThat(waits.get(5, TimeUnit.SECONDS)).isEqualTo("done");
        }
    }

    @Test
    void asynchronousActionHoldsTheLockUntilItsStageCompletes() throws Exception {
        CompletableFuture<String> inner = new CompletableFuture<>();
        CompletableFuture<String> result = template.executeAsync("stock:1", lease -> inner);
        Await.until("the action has begun", () -> locks.lock("stock:1").isLocked());
        CompletableFuture<String> second = template.executeAsync("stock:1", lease -> inner);
        Await.until("the second call waits", () -> locks.waiting() == 1);
        second.cancel(true);
        Await.until("the request is withdrawn", () -> locks.waiting() == 0);
        inner.complete("done");
        assertThat(result.get(5, TimeUnit.SECONDS)).isEqualTo("done");
        assertThat(locks.lock("stock:1").isLocked()).isFalse();
    }

    @Test
    void cancelWithdrawsAWaitAndKeepsARunningActionsLock() {
        CompletableFuture<String> inner = new CompletableFuture<>();
        AtomicInteger begun = new AtomicInteger();
        Function<Lease, CompletableFuture<String>> action = lease -> {
            begun.incrementAndGet();
            return inner;
        };
        CompletableFuture<String> first = template.executeAsync("stock:1", action);
        Await.until("the action has begun", () -> begun.get() == 1);
        CompletableFuture<String> late = template.executeAsync("stock:1", action);
        Await.until("the second call waits", () -> locks.waiting() == 1);
        late.orTimeout(1, TimeUnit.MILLISECONDS);
        Await.until("the request is withdrawn", () -> locks.waiting() == 0);
        first.cancel(true);
        assertThat(inner).isNotDone();
        assertThat(locks.lock("stock:1").isLocked()).isTrue();
        inner.complete("done");
        Await.until("the lock is free", () -> !locks.lock("stock:1").isLocked());
        assertThat(begun).hasValue(1);
    }

    @Test
    void asynchronousActionsAreExecutedOnTheClientsExecutor() throws Exception {
        for (int i = 0; i < 200; i++) { // the lock is free, so the action may begin before the call returns
            Thread thread = template.executeAsync("free:" + i, l -> completedFuture(Thread.currentThread()))
                    .get(5, TimeUnit.SECONDS);
            assertThat(thread).isNotSameAs(Thread.currentThread());
        }
    }

    @Test
    void deferredResultOfExecuteIsAnError() {
        for (Object later : List.of(new CompletableFuture<String>(), Mono.just("x"), Stream.of("x"))) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> template.execute("stock:1", () -> later))
                    .withMessageContaining("stock:1")
                    .withMessageContaining("executeAsync");
        }
        assertThat(locks.lock("stock:1").isLocked()).isFalse();
    }

    @Test
    void waitingIsObserved() {
        TestObservationRegistry observations = TestObservationRegistry.create();
        template.withObservations(observations).execute("stock:1", () -> "done");
        TestObservationRegistryAssert.assertThat(observations)
                .hasSingleObservationThat()
                .hasNameEqualTo("boltwork.lock.acquire")
                .hasContextualNameEqualTo("lock stock")
                .hasLowCardinalityKeyValue("group", "stock")
                .hasLowCardinalityKeyValue("outcome", "granted")
                .hasHighCardinalityKeyValue("name", "stock:1")
                .hasBeenStopped();
    }
}
