// SPDX-License-Identifier: Apache-2.0
package io.boltwork.reactor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.BackendException;
import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LeaseLostException;
import io.boltwork.LockClient;
import io.boltwork.LockOptions;
import io.boltwork.LockTimeoutException;
import io.boltwork.memory.MemoryBackend;
import io.boltwork.memory.MemoryServer;
import io.boltwork.testkit.wait.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;

/** Tests locks for Reactor: subscriptions, cancellations, contexts, failures. */
class ReactorLocksTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final Duration SHORT = Duration.ofMillis(50);

    private final MemoryServer server = MemoryServer.create();
    private final LockClient client = LockClient.create(MemoryBackend.on(server, Duration.ofMillis(500)));
    private final LockClient other = LockClient.create(MemoryBackend.on(server, Duration.ofMillis(500)));
    private final ReactorLocks locks = ReactorLocks.of(client);
    private final ReactorLock lock = locks.lock("stock");
    private final FencedLock elsewhere = other.lock("stock");

    @AfterEach
    void close() {
        server.thaw();
        client.close();
        other.close();
    }

    private void assertFree() {
        Await.until("the lock is free", elsewhere::tryLock);
        elsewhere.unlock();
    }

    private boolean isHeldHere() {
        boolean free = elsewhere.tryLock();
        if (free) {
            elsewhere.unlock();
        }
        return !free;
    }

    // ================================================================ acquiring

    @Test
    void nothingHappensBeforeTheSubscription() {
        Mono<Lease> acquire = lock.acquire();
        lock.tryAcquire(SHORT);
        lock.withLock(Mono.just(1));
        assertFree();
        Lease first = acquire.block(PATIENCE);
        assertThat(first.isValid()).isTrue();
        assertThat(isHeldHere()).isTrue();
        first.release();
        Lease second = acquire.block(PATIENCE);
        assertThat(second.fencingToken()).isGreaterThan(first.fencingToken());
        second.release();
    }

    @Test
    void aTryIsEmptyIfTheLockIsTaken() {
        elsewhere.lock();
        StepVerifier.create(lock.tryAcquire(Duration.ZERO)).verifyComplete();
        StepVerifier.create(lock.tryAcquire(SHORT)).verifyComplete();
        elsewhere.unlock();
        StepVerifier.create(lock.tryAcquire(SHORT)
                        .flatMap(lease -> Acquisitions.of(lease::releaseAsync).then(Mono.fromCallable(lease::isValid))))
                .expectNext(false)
                .verifyComplete();
    }

    @Test
    void aWaitMayHaveAnyLength() {
        elsewhere.lock();
        for (Duration none :
                List.of(Duration.ofSeconds(Long.MIN_VALUE), Duration.ofSeconds(Long.MIN_VALUE, 5_000_000))) {
            StepVerifier.create(lock.tryAcquire(none)).verifyComplete();
            StepVerifier.create(lock.withLock(none, Mono.just(1))).verifyError(LockTimeoutException.class);
        }
        for (Duration endless : List.of(Duration.ofNanos(Long.MAX_VALUE - 1), Duration.ofSeconds(Long.MAX_VALUE))) {
            CompletableFuture<Integer> body =
                    lock.withLock(endless, Mono.just(1)).toFuture();
            Await.until("it waits", () -> client.waiting() == 1);
            elsewhere.unlock();
            assertThat(body.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join())
                    .isEqualTo(1);
            elsewhere.lock();
        }
        elsewhere.unlock();
    }

    @Test
    void aCancellationWithdrawsTheRequest() {
        elsewhere.lock();
        for (Mono<Lease> wish : List.of(lock.acquire(), lock.tryAcquire(PATIENCE))) {
            StepVerifier.create(wish)
                    .thenAwait(SHORT)
                    .then(() -> Await.until("it waits", () -> client.waiting() == 1))
                    .thenCancel()
                    .verify();
            Await.until("no caller waits", () -> client.waiting() == 0);
        }
        elsewhere.unlock();
        assertFree();
    }

    @Test
    void aLeaseThatNoSubscriberTakesIsReleased() {
        StepVerifier.create(lock.acquire(), 0)
                .thenAwait(SHORT)
                .then(() -> Await.until("it is granted", this::isHeldHere))
                .thenCancel()
                .verify();
        assertFree();
        StepVerifier.create(lock.tryAcquire(PATIENCE), 0)
                .thenAwait(SHORT)
                .then(() -> Await.until("it is granted", this::isHeldHere))
                .thenCancel()
                .verify();
        assertFree();
    }

    @Test
    void cancellationsAtAnyMomentLeaveNothing() {
        for (int i = 0; i < 500; i++) {
            AtomicInteger bodies = new AtomicInteger();
            Disposable subscription = (i % 2 == 0
                            ? lock.acquire().flatMap(lease -> Acquisitions.of(lease::releaseAsync))
                            : lock.withLock(Mono.fromRunnable(bodies::incrementAndGet)))
                    .subscribeOn(Schedulers.parallel())
                    .subscribe();
            for (int spin = 0; spin < i % 50; spin++) {
                Thread.onSpinWait();
            }
            if (i % 3 != 0) {
                Thread.yield();
            }
            subscription.dispose();
        }
        assertFree();
    }

    @Test
    void failuresAreThoseOfTheLock() {
        server.freeze();
        StepVerifier.create(lock.tryAcquire(Duration.ZERO)).verifyError(BackendException.class);
        server.thaw();
        ReactorLock interrupting = locks.lock("stock", LockOptions.defaults().withOnLoss(LockOptions.OnLoss.INTERRUPT));
        StepVerifier.create(interrupting.acquire()).verifyError(UnsupportedOperationException.class);
        assertThatThrownBy(() -> lock.withLock((Mono<Object>) null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> ReactorLocks.of(null)).isInstanceOf(NullPointerException.class);
    }

    // ================================================================ bodies

    @Test
    void aBodyRunsUnderTheLock() {
        StepVerifier.create(lock.withLock(Mono.fromCallable(this::isHeldHere)))
                .expectNext(true)
                .verifyComplete();
        assertFree();
        StepVerifier.create(lock.withLock(Flux.range(1, 3).map(i -> isHeldHere() ? i : -1)))
                .expectNext(1, 2, 3)
                .verifyComplete();
        assertFree();
        StepVerifier.create(lock.withLock(SHORT, Mono.fromCallable(this::isHeldHere)))
                .expectNext(true)
                .verifyComplete();
        StepVerifier.create(lock.withLock(Mono.empty())).verifyComplete();
    }

    @Test
    void theLockIsReleasedBeforeTheEndIsPassedOn() {
        StepVerifier.create(lock.withLock(Mono.just(1)).then(Mono.fromCallable(this::isHeldHere)))
                .expectNext(false)
                .verifyComplete();
    }

    @Test
    void aBodyThatFailsReleasesTheLock() {
        IllegalStateException failure = new IllegalStateException("no");
        StepVerifier.create(lock.withLock(Mono.error(failure))).verifyErrorMatches(thrown -> thrown == failure);
        assertFree();
        StepVerifier.create(lock.withLock(Flux.just(1).concatWith(Flux.error(failure))))
                .expectNext(1)
                .verifyErrorMatches(thrown -> thrown == failure);
        assertFree();
    }

    @Test
    void aBodyThatIsCancelledReleasesTheLock() {
        AtomicBoolean cancelled = new AtomicBoolean();
        StepVerifier.create(lock.withLock(
                        Flux.concat(Flux.just(1), Flux.<Integer>never()).doOnCancel(() -> cancelled.set(true))))
                .expectNext(1)
                .thenCancel()
                .verify();
        assertThat(cancelled).isTrue();
        assertFree();
    }

    @Test
    void aBodyIsNotSubscribedToIfTheLockIsTaken() {
        elsewhere.lock();
        AtomicBoolean begun = new AtomicBoolean();
        StepVerifier.create(lock.withLock(SHORT, Mono.fromRunnable(() -> begun.set(true))))
                .verifyErrorSatisfies(thrown -> assertThat(thrown)
                        .isInstanceOf(LockTimeoutException.class)
                        .hasMessageContaining("'stock'"));
        StepVerifier.create(lock.withLock(Duration.ZERO, Flux.just(1))).verifyError(LockTimeoutException.class);
        assertThat(begun).isFalse();
        elsewhere.unlock();
    }

    @Test
    void aLossIsTheFailureOfTheBody() {
        ReactorLock brief = locks.lock("stock", LockOptions.defaults().withFixedLease(Duration.ofMillis(100)));
        StepVerifier.create(brief.withLock(Mono.delay(Duration.ofMillis(300)))).verifyError(LeaseLostException.class);
        StepVerifier.create(brief.withLock(
                        Mono.delay(Duration.ofMillis(300)).then(Mono.error(new IllegalStateException()))))
                .verifyErrorSatisfies(thrown -> assertThat(thrown)
                        .isInstanceOf(IllegalStateException.class)
                        .satisfies(failure ->
                                assertThat(failure.getSuppressed()[0]).isInstanceOf(LeaseLostException.class)));
    }

    @Test
    void theContextIsPassedOn() {
        Mono<String> user = Mono.deferContextual(context -> Mono.just(context.get("user")));
        StepVerifier.create(lock.withLock(user).contextWrite(context -> context.put("user", "ada")))
                .expectNext("ada")
                .verifyComplete();
        StepVerifier.create(lock.withLock(SHORT, user.flux()).contextWrite(context -> context.put("user", "ada")))
                .expectNext("ada")
                .verifyComplete();
    }

    @Test
    void demandIsThatOfTheSubscriber() {
        StepVerifier.create(lock.withLock(Flux.range(1, 1_000)), 0)
                .thenRequest(2)
                .expectNext(1, 2)
                .thenRequest(1)
                .expectNext(3)
                .thenCancel()
                .verify();
        assertFree();
    }

    @Test
    void subscriptionsExcludeEachOther() {
        int[] counter = {0};
        Mono<Integer> increment = lock.withLock(Mono.fromCallable(() -> {
            int before = counter[0];
            Thread.yield();
            counter[0] = before + 1;
            return counter[0];
        }));
        List<Mono<Integer>> all = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            all.add(increment.subscribeOn(Schedulers.parallel()));
        }
        Flux.merge(all).blockLast(PATIENCE);
        assertThat(counter[0]).isEqualTo(200);
    }

    // ================================================================ other kinds

    @Test
    void readersShareAndWritersDoNot() {
        ReactorReadWriteLock prices = locks.readWriteLock("prices");
        Lease reading = prices.readLock().acquire().block(PATIENCE);
        StepVerifier.create(prices.readLock().withLock(SHORT, Mono.just(1)))
                .expectNext(1)
                .verifyComplete();
        StepVerifier.create(prices.writeLock().tryAcquire(SHORT)).verifyComplete();
        reading.release();
        StepVerifier.create(prices.writeLock().withLock(Mono.just(2)))
                .expectNext(2)
                .verifyComplete();
    }

    @Test
    void permitsAreLimited() {
        ReactorSemaphore uploads = locks.semaphore("uploads", 3);
        Lease two = uploads.acquire(2).block(PATIENCE);
        StepVerifier.create(uploads.tryAcquire(2, SHORT)).verifyComplete();
        StepVerifier.create(uploads.withPermit(
                        Mono.fromCallable(() -> other.semaphore("uploads", 3).availablePermits())))
                .expectNext(0)
                .verifyComplete();
        StepVerifier.create(uploads.withPermit(SHORT, Flux.just(1, 2)))
                .expectNext(1, 2)
                .verifyComplete();
        Lease third = uploads.acquire().block(PATIENCE);
        StepVerifier.create(uploads.withPermit(SHORT, Mono.just(1))).verifyError(LockTimeoutException.class);
        two.release();
        third.release();
    }

    @Test
    void severalLocksAreHeldTogether() {
        ReactorLock both = locks.multiLock(client.lock("stock"), client.lock("orders"));
        StepVerifier.create(both.withLock(Mono.fromCallable(
                        () -> isHeldHere() && !other.lock("orders").tryLock())))
                .expectNext(true)
                .verifyComplete();
        assertFree();
    }

    @Test
    void aLatchIsWaitedFor() {
        ReactorLatch latch = locks.latch("import");
        StepVerifier.create(latch.countDown()).verifyError(IllegalStateException.class);
        StepVerifier.create(latch.trySetCount(2)).expectNext(true).verifyComplete();
        StepVerifier.create(latch.await(SHORT)).expectNext(false).verifyComplete();
        StepVerifier.create(latch.await().timeout(SHORT)).verifyError();
        StepVerifier.create(latch.await())
                .thenAwait(SHORT)
                .then(() -> latch.countDown("a").block(PATIENCE))
                .then(() -> latch.countDown("a").block(PATIENCE))
                .expectNoEvent(SHORT)
                .then(() -> latch.countDown().block(PATIENCE))
                .verifyComplete();
        StepVerifier.create(latch.await(SHORT)).expectNext(true).verifyComplete();
    }

    @Test
    void aCancellationIsNoError() {
        elsewhere.lock();
        AtomicBoolean dropped = new AtomicBoolean();
        Hooks.onErrorDropped(thrown -> dropped.set(!(thrown instanceof CancellationException) || dropped.get()));
        try {
            lock.acquire().subscribe().dispose();
            lock.withLock(Mono.just(1)).subscribe().dispose();
        } finally {
            Hooks.resetOnErrorDropped();
        }
        assertThat(dropped).isFalse();
        elsewhere.unlock();
        assertFree();
    }
}
