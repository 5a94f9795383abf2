// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract.semaphore;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.ClientOptions;
import io.boltwork.Lease;
import io.boltwork.LeaseLostException;
import io.boltwork.LeasedSemaphore;
import io.boltwork.LockKind;
import io.boltwork.LockOptions;
import io.boltwork.LockTimeoutException;
import io.boltwork.contract.LockSite;
import io.boltwork.contract.part.ContractPart;
import io.boltwork.testkit.wait.Await;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

/** Asynchronous acquisitions of permits, and asynchronous actions that hold one. */
abstract class SemaphoreContractAsync extends ContractPart {

    SemaphoreContractAsync(LockSite site) {
        super(site);
    }

    private LeasedSemaphore semaphore(int permits) {
        return party().client().semaphore(name, permits);
    }

    private void awaitWaiting(int requests) {
        Await.until(
                requests + " requests wait",
                () -> inspect(LockKind.SEMAPHORE, name).queue().size() == requests);
    }

    // ================================================================ acquiring

    @Test
    void severalPermitsAreAcquiredAndReleasedWithoutBlocking() {
        LeasedSemaphore semaphore = semaphore(10);
        Lease six = get(semaphore.acquireAsync(6));
        assertThat(semaphore.availablePermits()).isEqualTo(4);
        assertThat(get(semaphore.tryAcquireAsync(5, Duration.ZERO))).isEmpty();
        Lease four = get(semaphore.tryAcquireAsync(4, Duration.ZERO)).orElseThrow();
        get(six.releaseAsync().thenApply(nothing -> true));
        assertThat(semaphore.availablePermits()).isEqualTo(6);
        assertThat(four.isValid()).isTrue();
        get(four.releaseAsync().thenApply(nothing -> true));
        assertThat(semaphore.availablePermits()).isEqualTo(10);
    }

    @Test
    void aTimedRequestIsServedWhenEnoughIsReleased() {
        LeasedSemaphore holder = semaphore(5);
        Lease one = holder.acquire();
        Lease another = holder.acquire();
        CompletableFuture<Boolean> served = semaphore(5)
                .tryAcquireAsync(5, Duration.ofMinutes(1))
                .thenApply(lease -> lease.orElseThrow().isValid())
                .toCompletableFuture();
        awaitWaiting(1);
        one.release();
        pass(Duration.ofMillis(100));
        assertThat(served).isNotDone();
        another.release();
        assertThat(get(served)).isTrue();
    }

    // ================================================================ actions

    @Test
    void aCallKeepsItsPermitUntilItsStageHasCompleted() {
        LeasedSemaphore semaphore = semaphore(2);
        LeasedSemaphore other = semaphore(2);
        CompletableFuture<String> work = new CompletableFuture<>();
        CompletableFuture<Lease> held = new CompletableFuture<>();
        CompletionStage<String> result = semaphore.callAsync(PROMPT, lease -> {
            held.complete(lease);
            return work;
        });
        Lease lease = get(held);
        assertThat(lease.isValid()).isTrue();
        assertThat(lease.lockName()).isEqualTo(name);
        assertThat(other.availablePermits()).isEqualTo(1);
        work.complete("done");
        assertThat(get(result)).isEqualTo("done");
        assertThat(lease.isValid()).isFalse();
        assertThat(other.availablePermits()).isEqualTo(2);
    }

    @Test
    void aCallThatWaitsBeginsWhenAPermitIsReleased() {
        Lease theirs = semaphore(1).acquire();
        CompletableFuture<Boolean> call = semaphore(1)
                .callAsync(Duration.ofMinutes(1), lease -> CompletableFuture.completedFuture(lease.isValid()))
                .toCompletableFuture();
        awaitWaiting(1);
        assertThat(call).isNotDone();
        theirs.release();
        assertThat(get(call)).isTrue();
        awaitFree();
    }

    @Test
    void aCallBeginsAndEndsOnTheClientsExecutor() {
        Party party = party(ClientOptions.defaults().withCallbackExecutor(executor("my-callbacks")));
        Set<String> threads = ConcurrentHashMap.newKeySet();
        for (int i = 0; i < 50; i++) { // with a free permit, so that the lease may be available before the call returns
            CompletableFuture<Boolean> begun = new CompletableFuture<>();
            CompletableFuture<Boolean> work = new CompletableFuture<>();
            CompletionStage<Boolean> result = party.client()
                    .semaphore(name + i, 1)
                    .callAsync(PROMPT, lease -> {
                        threads.add(Thread.currentThread().getName());
                        begun.complete(true);
                        return work;
                    });
            CompletionStage<Boolean> heard = result.whenComplete(
                    (value, failure) -> threads.add(Thread.currentThread().getName()));
            if (i % 2 == 0) {
                get(begun);
            }
            work.complete(true); // by this thread, which must not end the call
            get(heard);
        }
        assertThat(threads).containsExactly("my-callbacks");
    }

    @Test
    void aCallReleasesItsPermitHoweverItsBodyFails() {
        LeasedSemaphore semaphore = semaphore(1);
        assertThat(failureOf(semaphore.callAsync(PROMPT, lease -> {
                    throw new IllegalArgumentException("at once");
                })))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("at once");
        assertThat(failureOf(semaphore.callAsync(
                        PROMPT, lease -> CompletableFuture.failedFuture(new IllegalStateException("later")))))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("later");
        assertThat(semaphore.availablePermits()).isEqualTo(1);
    }

    @Test
    void aRefusedCallDoesNotBegin() {
        Lease theirs = semaphore(1).acquire();
        CompletableFuture<Boolean> begun = new CompletableFuture<>();
        for (Duration wait : List.of(Duration.ZERO, Duration.ofMillis(50))) {
            assertThat(failureOf(semaphore(1).callAsync(wait, lease -> {
                        begun.complete(true);
                        return begun;
                    })))
                    .isInstanceOf(LockTimeoutException.class)
                    .hasMessageContaining(name);
        }
        awaitWaiting(0);
        assertThat(begun).isNotDone();
        theirs.release();
    }

    @Test
    void aCallWhosePermitIsLostFails() {
        LeasedSemaphore semaphore = semaphore(1).withOptions(LockOptions.fixedLease(FIXED));
        CompletionStage<String> result =
                semaphore.callAsync(PROMPT, lease -> lease.whenLost().thenApply(loss -> "lost"));
        assertThat(failureOf(result)).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void aCallThatEndsWhileItWaitsNeverBegins() {
        Lease theirs = semaphore(1).acquire();
        CompletableFuture<Boolean> begun = new CompletableFuture<>();
        for (boolean cancelled : List.of(true, false)) {
            CompletableFuture<String> call = semaphore(1)
                    .callAsync(Duration.ofMinutes(1), lease -> {
                        begun.complete(true);
                        return CompletableFuture.completedFuture("held");
                    })
                    .toCompletableFuture();
            awaitWaiting(1);
            if (cancelled) {
                assertThat(call.cancel(false)).isTrue();
            } else {
                assertThat(failureOf(call.orTimeout(1, TimeUnit.MILLISECONDS))).isInstanceOf(TimeoutException.class);
            }
            awaitWaiting(0);
        }
        theirs.release();
        awaitFree();
        assertThat(begun).isNotDone();
    }

    @Test
    void aStartedCallKeepsItsPermitUntilItEnds() {
        LeasedSemaphore semaphore = semaphore(1);
        for (boolean cancelled : List.of(true, false)) {
            CompletableFuture<Boolean> begun = new CompletableFuture<>();
            CompletableFuture<String> work = new CompletableFuture<>();
            CompletableFuture<String> call = semaphore
                    .callAsync(PROMPT, lease -> {
                        begun.complete(true);
                        return work;
                    })
                    .toCompletableFuture();
            get(begun);
            if (cancelled) {
                call.cancel(true);
            } else {
                assertThat(failureOf(call.orTimeout(1, TimeUnit.MILLISECONDS))).isInstanceOf(TimeoutException.class);
            }
            assertThat(work).isNotDone();
            assertThat(semaphore.availablePermits()).isZero();
            work.complete("done");
            awaitFree();
        }
    }
}
