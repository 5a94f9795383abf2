// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.jmh;

import io.boltwork.ClientOptions;
import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.memory.MemoryBackend;
import io.boltwork.reactor.ReactorLock;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import reactor.core.publisher.Mono;

/**
 * Pairs of an acquisition and a release on a backend in memory, with the futures of core and with the publishers for
 * Reactor. The difference is what the publishers add. Callbacks run on the thread that causes them, so that no thread
 * is woken.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(
        value = 5,
        jvmArgsAppend = {"-Xms512m", "-Xmx512m"})
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 5, time = 1)
public class ReactorBenchmark {

    /** A client and one lock. */
    @State(Scope.Benchmark)
    public static class Locked {
        private final LockClient client = LockClient.create(
                MemoryBackend.create(), ClientOptions.defaults().withCallbackExecutor(Runnable::run));
        private final FencedLock lock = client.lock("pair");
        private final ReactorLock reactive = ReactorLock.of(lock);

        @TearDown
        public void close() {
            client.close();
        }
    }

    @Benchmark
    public @Nullable Void futures(Locked locked) {
        return locked.lock
                .acquireAsync()
                .thenCompose(Lease::releaseAsync)
                .toCompletableFuture()
                .join();
    }

    @Benchmark
    public @Nullable Void publishers(Locked locked) {
        return locked.reactive
                .acquire()
                .flatMap(lease -> Mono.fromCompletionStage(lease.releaseAsync()))
                .block();
    }

    @Benchmark
    public @Nullable Integer withLock(Locked locked) {
        return locked.reactive.withLock(Mono.just(1)).block();
    }
}
