// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import io.boltwork.ClientOptions;
import io.boltwork.LockClient;
import io.boltwork.redis.RedisBackend;
import java.io.PrintStream;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * A stream of tasks, one at a time for each account in the whole cluster. No thread waits for a lock or for a task.
 * Tasks of different accounts run in parallel.
 */
final class TaskPipeline {
    private final LockClient locks;

    TaskPipeline(LockClient locks) {
        this.locks = locks;
    }

    /**
     * Runs a task when its account is free, or fails if that takes more than a minute. The task gets a fencing token,
     * and need not occupy a thread while it works.
     */
    <T> CompletionStage<T> submit(String account, Function<Long, CompletionStage<T>> task) {
        // @start region="pipeline"
        return locks.lock("account:" + account)
                .callAsync(Duration.ofMinutes(1), lease -> task.apply(lease.fencingToken()));
        // @end
    }

    static void demo(String redisUri, PrintStream out) {
        out.println("200 tasks of 20 ms for 10 accounts, one at a time for each: 400 ms at least. 2 threads.");
        ExecutorService threads = Executors.newFixedThreadPool(2);
        ClientOptions options = ClientOptions.defaults().withCallbackExecutor(threads);
        try (LockClient locks = LockClient.create(RedisBackend.connect(redisUri, Instances.APART), options)) {
            TaskPipeline pipeline = new TaskPipeline(locks);
            long start = System.nanoTime();
            CompletableFuture<?>[] all = IntStream.range(0, 200)
                    .mapToObj(i -> pipeline.submit("" + i % 10, token -> pause(Duration.ofMillis(20), threads))
                            .toCompletableFuture())
                    .toArray(CompletableFuture<?>[]::new);
            CompletableFuture.allOf(all).join();
            out.println("All done after " + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start) + " ms.");
        } finally {
            threads.shutdown();
        }
    }

    /** Stands for work that takes time but no thread, such as a request to another service. */
    static CompletionStage<Void> pause(Duration time, Executor then) {
        return CompletableFuture.runAsync(
                () -> {}, CompletableFuture.delayedExecutor(time.toMillis(), TimeUnit.MILLISECONDS, then));
    }
}
