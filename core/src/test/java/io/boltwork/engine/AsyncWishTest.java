// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.Lease;
import io.boltwork.LockTimeoutException;
import io.boltwork.engine.locks.AsyncCall;
import io.boltwork.engine.locks.AsyncRequest;
import io.boltwork.engine.locks.EngineLock;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Asynchronous acquisitions whose future is completed from outside. */
class AsyncWishTest extends EngineScene {

    private static Arguments end(String name, Consumer<CompletableFuture<Object>> end) {
        return Arguments.argumentSet(name, end);
    }

    static Stream<Arguments> ends() {
        return Stream.of(
                end("cancelled", wish -> wish.cancel(true)),
                end("timed out", wish -> wish.completeExceptionally(new TimeoutException())),
                end("completed", wish -> wish.complete(null)),
                end("completed later", wish -> wish.completeAsync(() -> null, Runnable::run)),
                end(
                        "completed by a failure",
                        wish -> wish.completeAsync(
                                () -> {
                                    throw new IllegalStateException("none");
                                },
                                Runnable::run)),
                end("a value forced on it", wish -> wish.obtrudeValue(null)),
                end("a failure forced on it", wish -> wish.obtrudeException(new TimeoutException())));
    }

    @SuppressWarnings("unchecked")
    private static CompletableFuture<Object> any(CompletableFuture<?> wish) {
        return (CompletableFuture<Object>) wish;
    }

    @ParameterizedTest
    @MethodSource("ends")
    void anEndedAcquisitionIsWithdrawnAtOnce(Consumer<CompletableFuture<Object>> end) {
        holdElsewhere(60_000);
        CompletableFuture<Lease> wish = wish(TEN);
        forget();
        end.accept(any(wish));
        assertThat(withdrawn()).containsExactly("c:1");
        assertThat(machine().waiting()).isZero();
        assertThat(look().queue()).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("ends")
    void anEndedCallIsWithdrawnAtOnce(Consumer<CompletableFuture<Object>> end) {
        holdElsewhere(60_000);
        boolean[] begun = new boolean[1];
        CompletableFuture<Void> call = client.lock(TEN)
                .callAsync(Duration.ofMinutes(1), lease -> {
                    begun[0] = true;
                    return CompletableFuture.<Void>completedFuture(null);
                })
                .toCompletableFuture();
        forget();
        end.accept(any(call));
        assertThat(withdrawn()).containsExactly("c:1");
        freeElsewhere();
        pass(10);
        assertThat(begun[0]).isFalse();
        assertThat(client.isFree()).isTrue();
    }

    @Test
    void aCallEndedJustAfterItsGrantDoesNotBegin() {
        Lease lease = granted(wish(TEN));
        CompletableFuture<Optional<Lease>> turn = new CompletableFuture<>() {
            @Override
            public boolean cancel(boolean mayInterruptIfRunning) {
                return false; // the lock has already been granted
            }
        };
        boolean[] begun = new boolean[1];
        AsyncCall<Void> call = new AsyncCall<>(
                turn,
                one -> {
                    begun[0] = true;
                    return CompletableFuture.<Void>completedFuture(null);
                },
                () -> new LockTimeoutException("lock", Duration.ZERO),
                Runnable::run);
        assertThat(call.cancel(true)).isTrue();
        turn.complete(Optional.of(lease));
        assertThat(begun[0]).isFalse();
        assertThat(client.isFree()).isTrue();
    }

    /** A multi-lock is cancelled while it posts the requests for its members. */
    @Test
    void anAcquisitionThatEndsBeforeItIsPostedAsksForNothing() {
        AsyncRequest<Optional<Lease>> request =
                ((EngineLock) client.lock(TEN)).request(Duration.ofMinutes(1).toNanos(), Function.identity());
        request.cancel(true);
        request.post();
        assertThat(machine().waiting()).isZero();
        pass(10);
        assertThat(client.isFree()).isTrue();
    }

    @Test
    void aTimeoutOfTheFutureEndsTheAcquisition() {
        holdElsewhere(60_000);
        CompletableFuture<Optional<Lease>> wish =
                client.lock(TEN).tryAcquireAsync(Duration.ofHours(1)).toCompletableFuture();
        wish.completeOnTimeout(Optional.empty(), 1, TimeUnit.MILLISECONDS).join();
        long end = System.nanoTime() + Duration.ofSeconds(10).toNanos();
        while (!look().queue().isEmpty()
                && System.nanoTime() < end) { // the timeout's thread completes the future first
            Thread.onSpinWait();
        }
        assertThat(withdrawn()).containsExactly("c:1");
    }

    @Test
    void aLeaseThatTheFutureAcceptedIsKept() {
        CompletableFuture<Lease> wish = wish(TEN);
        Lease lease = granted(wish);
        assertThat(wish.cancel(true)).isFalse();
        assertThat(wish.complete(lease)).isFalse();
        pass(30_000);
        assertThat(lease.isValid()).isTrue();
    }
}
