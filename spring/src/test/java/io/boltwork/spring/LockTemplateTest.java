package io.boltwork.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.Lease;
import io.boltwork.LeaseLostException;
import io.boltwork.LockClient;
import io.boltwork.LockOptions;
import io.boltwork.memory.MemoryBackend;
import io.boltwork.testkit.Await;
import io.micrometer.observation.tck.TestObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistryAssert;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

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
    void refusedInterruptedLost() throws Exception {
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
    void asynchronouslyHeldUntilTheStageHasCompleted() throws Exception {
        CompletableFuture<String> inner = new CompletableFuture<>();
        CompletableFuture<String> result = template.executeAsync("stock:1", lease -> inner);
        Await.until("begun", () -> locks.lock("stock:1").isLocked());
        CompletableFuture<String> second = template.executeAsync("stock:1", lease -> inner);
        Await.until("waits", () -> locks.waiting() == 1);
        second.cancel(true);
        Await.until("withdrawn", () -> locks.waiting() == 0);
        inner.complete("done");
        assertThat(result.get(5, TimeUnit.SECONDS)).isEqualTo("done");
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
