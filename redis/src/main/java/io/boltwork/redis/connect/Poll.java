// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.connect;

import io.boltwork.BackendException;
import io.boltwork.redis.address.Errors;
import io.netty.util.concurrent.EventExecutor;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Asks several servers at once. After the first answer, the others are awaited for as long again as the first one took,
 * but for at least 0.2 s. The state belongs to the loop thread.
 */
public final class Poll<T> {
    private static final long LEAST_WAIT_MILLIS = 200;

    /** The answers and failures of one round. */
    public record PollResult<T>(List<T> answers, List<BackendException> failures) {}

    private final EventExecutor loop;

    public Poll(EventExecutor loop) {
        this.loop = loop;
    }

    /**
     * Asks servers, and completes on the loop thread.
     *
     * @param servers the servers to ask; called on the loop thread
     * @param millis how long to wait if no server answers
     */
    public CompletableFuture<PollResult<T>> ask(Supplier<List<PolledServer<T>>> servers, long millis) {
        CompletableFuture<PollResult<T>> result = new CompletableFuture<>();
        loop.execute(() -> new Round(servers.get(), result).begin(millis));
        return result;
    }

    private final class Round {
        private final CompletableFuture<PollResult<T>> result;
        private final Set<PolledServer<T>> outstanding;
        private final List<T> answers = new ArrayList<>();
        private final List<BackendException> failures = new ArrayList<>();
        private final long start = System.nanoTime();

        Round(List<PolledServer<T>> servers, CompletableFuture<PollResult<T>> result) {
            this.outstanding = new LinkedHashSet<>(servers);
            this.result = result;
        }

        void begin(long millis) {
            for (PolledServer<T> server : List.copyOf(outstanding)) {
                server.ask().whenComplete((said, failure) -> loop.execute(() -> heard(server, said, failure)));
            }
            TimeLimit.begin(loop, millis, this::end);
        }

        private void heard(PolledServer<T> server, @Nullable T said, @Nullable Throwable failure) {
            if (result.isDone() || !outstanding.remove(server)) {
                return;
            }
            if (said != null) {
                if (answers.isEmpty()) {
                    long asLong = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
                    loop.schedule(this::end, Math.max(LEAST_WAIT_MILLIS, asLong), TimeUnit.MILLISECONDS);
                }
                answers.add(said);
            } else if (failure != null && Errors.unwrap(failure) instanceof BackendException known) {
                failures.add(known);
            }
            if (outstanding.isEmpty()) {
                end();
            }
        }

        private void end() {
            if (!result.isDone()) {
                long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
                for (PolledServer<T> silent : outstanding) {
                    failures.add(silent.errors().silent(millis));
                }
                result.complete(new PollResult<>(answers, failures));
            }
        }
    }
}
