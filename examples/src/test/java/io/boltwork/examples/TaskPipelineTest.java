// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.ClientOptions;
import io.boltwork.LockClient;
import io.boltwork.redis.RedisBackend;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Slack;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Two clients with few threads run many tasks, one at a time for each account. */
class TaskPipelineTest {
    private static final int TASKS = 200;
    private static final int ACCOUNTS = 5;
    private static final int THREADS = 3;

    private final AtomicInteger made = new AtomicInteger();
    private final ExecutorService threads =
            Executors.newFixedThreadPool(THREADS, body -> new Thread(body, "pipeline-" + made.incrementAndGet()));
    private final ClientOptions options = ClientOptions.defaults().withCallbackExecutor(threads);
    private final RedisServer redis = RedisServer.start();
    private final LockClient locks = LockClient.create(RedisBackend.connect(redis.uri()), options);
    private final LockClient elsewhere = LockClient.create(RedisBackend.connect(redis.uri()), options);

    @AfterEach
    void close() {
        try (redis;
                locks;
                elsewhere) {
            threads.shutdown();
        }
    }

    @Test
    void oneTaskPerAccountAtATimeWithFewThreads() throws Exception {
        TaskPipeline one = new TaskPipeline(locks);
        TaskPipeline two = new TaskPipeline(elsewhere);
        Map<String, AtomicInteger> running = new ConcurrentHashMap<>();
        AtomicInteger overlaps = new AtomicInteger();
        Set<String> names = ConcurrentHashMap.newKeySet();
        int before = ManagementFactory.getThreadMXBean().getThreadCount();

        List<CompletableFuture<?>> all = new ArrayList<>();
        for (int i = 0; i < TASKS; i++) {
            String account = "" + i % ACCOUNTS;
            AtomicInteger now = running.computeIfAbsent(account, key -> new AtomicInteger());
            CompletionStage<Void> task = (i % 2 == 0 ? one : two).submit(account, token -> {
                names.add(Thread.currentThread().getName());
                overlaps.addAndGet(now.incrementAndGet() - 1);
                return TaskPipeline.pause(Duration.ofMillis(3), threads).thenRun(now::decrementAndGet);
            });
            all.add(task.toCompletableFuture());
        }
        int during = ManagementFactory.getThreadMXBean().getThreadCount();
        CompletableFuture.allOf(all.toArray(CompletableFuture[]::new))
                .get(Slack.seconds(30).toMillis(), TimeUnit.MILLISECONDS);

        assertThat(overlaps).hasValue(0);
        assertThat(names).hasSizeBetween(1, THREADS).allMatch(name -> name.startsWith("pipeline-"));
        assertThat(during - before)
                .as("threads for " + TASKS + " waiting tasks")
                .isLessThan(10);
        for (String account : running.keySet()) {
            Await.until(
                    "the lock is free", () -> !locks.lock("account:" + account).isLocked());
        }
    }

    @Test
    void failedTaskReleasesTheLock() {
        CompletableFuture<Void> failed = new TaskPipeline(locks)
                .<Void>submit("1", token -> {
                    throw new IllegalStateException("no such account");
                })
                .toCompletableFuture();
        assertThatThrownBy(failed::join).hasRootCauseMessage("no such account");
        Await.until("the lock is free", () -> !elsewhere.lock("account:1").isLocked());
    }
}
