// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.engine.client.ClientThreads;
import io.boltwork.engine.client.Heartbeat;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A timer without memory loses tasks or its thread. The locks still work. */
class LostTimersTest extends EngineScene {

    private static Throwable heardOf(Runnable task) throws Exception {
        ClientThreads threads = new ClientThreads(null);
        CompletableFuture<Throwable> heard = new CompletableFuture<>();
        threads.onFailure(heard::complete);
        threads.schedule(task, 0);
        try {
            return heard.get(10, TimeUnit.SECONDS);
        } finally {
            threads.stop();
        }
    }

    @Test
    void aFailingTaskIsReported() throws Exception {
        OutOfMemoryError full = new OutOfMemoryError("in a test");
        assertThat(heardOf(() -> {
                    throw full;
                }))
                .isSameAs(full);
    }

    @Test
    void aDeadTimerThreadIsReportedAndReplaced() throws Exception {
        ClientThreads threads = new ClientThreads(null);
        OutOfMemoryError deadly = new OutOfMemoryError("in a test, where nothing catches it");
        AtomicInteger calls = new AtomicInteger();
        CompletableFuture<Throwable> heard = new CompletableFuture<>();
        threads.onFailure(cause -> {
            if (calls.incrementAndGet() == 1) {
                throw deadly;
            }
            heard.complete(cause);
        });
        try {
            threads.schedule(
                    () -> {
                        throw new OutOfMemoryError("in a test");
                    },
                    0);
            assertThat(heard.get(10, TimeUnit.SECONDS)).isSameAs(deadly);
            CompletableFuture<Void> later = new CompletableFuture<>();
            threads.schedule(() -> later.complete(null), 0);
            later.get(10, TimeUnit.SECONDS);
        } finally {
            threads.stop();
        }
    }

    @Test
    void aLostHeartbeatIsPlannedAgainAndNoneComesTwice() {
        AtomicInteger beats = new AtomicInteger();
        Heartbeat heartbeat = new Heartbeat(client.engine.core, List.of(beats::incrementAndGet), () -> {});
        heartbeat.plan();
        pass(3_500);
        heartbeat.planAgain();
        pass(3_000);
        assertThat(beats).hasValue(6);
    }

    @Test
    void aFailingTimerRaisesTheErrorFlag() {
        client.engine.timerFailed(new OutOfMemoryError("in a test"));
        assertThat(client.engine.errorFlag.raised).isTrue();
        pass(1_000);
        assertThat(client.engine.errorFlag.raised)
                .as("raised after the next heartbeat")
                .isFalse();
    }
}
