// SPDX-License-Identifier: Apache-2.0
package io.boltwork.rxjava;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.BackendException;
import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LeaseLostException;
import io.boltwork.LeasedSemaphore;
import io.boltwork.LockClient;
import io.boltwork.LockOptions;
import io.boltwork.LockTimeoutException;
import io.boltwork.memory.MemoryBackend;
import io.boltwork.memory.MemoryServer;
import io.boltwork.testkit.wait.Await;
import io.reactivex.rxjava3.core.Completable;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.core.Maybe;
import io.reactivex.rxjava3.core.Single;
import io.reactivex.rxjava3.disposables.Disposable;
import io.reactivex.rxjava3.observers.TestObserver;
import io.reactivex.rxjava3.plugins.RxJavaPlugins;
import io.reactivex.rxjava3.schedulers.Schedulers;
import io.reactivex.rxjava3.subscribers.TestSubscriber;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests locks for RxJava 3: subscriptions, disposals, failures. */
class RxLocksTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final Duration SHORT = Duration.ofMillis(50);

    private final MemoryServer server = MemoryServer.create();
    private final LockClient client = LockClient.create(MemoryBackend.on(server, Duration.ofMillis(500)));
    private final LockClient other = LockClient.create(MemoryBackend.on(server, Duration.ofMillis(500)));
    private final RxLocks locks = RxLocks.of(client);
    private final RxLock lock = locks.lock("stock");
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

    private static <T> TestObserver<T> ended(TestObserver<T> observer) throws InterruptedException {
        assertThat(observer.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        return observer;
    }

    // ================================================================ acquiring

    @Test
    void nothingHappensBeforeTheSubscription() {
        Single<Lease> acquire = lock.acquire();
        lock.tryAcquire(SHORT);
        lock.withLock(Single.just(1));
        assertFree();
        Lease first = acquire.blockingGet();
        assertThat(isHeldHere()).isTrue();
        first.release();
        Lease second = acquire.blockingGet();
        assertThat(second.fencingToken()).isGreaterThan(first.fencingToken());
        second.release();
    }

    @Test
    void aTryIsEmptyIfTheLockIsTaken() throws InterruptedException {
        elsewhere.lock();
        ended(lock.tryAcquire(Duration.ZERO).test()).assertNoValues().assertComplete();
        ended(lock.tryAcquire(SHORT).test()).assertNoValues().assertComplete();
        elsewhere.unlock();
        Lease lease = lock.tryAcquire(SHORT).blockingGet();
        assertThat(lease.isValid()).isTrue();
        lease.release();
    }

    @Test
    void aWaitMayHaveAnyLength() throws InterruptedException {
        elsewhere.lock();
        for (Duration none :
                List.of(Duration.ofSeconds(Long.MIN_VALUE), Duration.ofSeconds(Long.MIN_VALUE, 5_000_000))) {
            ended(lock.tryAcquire(none).test()).assertNoValues().assertComplete();
            ended(lock.withLock(none, Single.just(1)).test()).assertError(LockTimeoutException.class);
        }
        for (Duration endless : List.of(Duration.ofNanos(Long.MAX_VALUE - 1), Duration.ofSeconds(Long.MAX_VALUE))) {
            TestObserver<Integer> body = lock.withLock(endless, Single.just(1)).test();
            Await.until("it waits", () -> client.waiting() == 1);
            elsewhere.unlock();
            ended(body).assertValue(1);
            elsewhere.lock();
        }
        elsewhere.unlock();
    }

    @Test
    void aDisposalWithdrawsTheRequest() {
        elsewhere.lock();
        for (Maybe<Lease> wish : List.of(lock.acquire().toMaybe(), lock.tryAcquire(PATIENCE))) {
            Disposable subscription = wish.subscribe();
            Await.until("it waits", () -> client.waiting() == 1);
            subscription.dispose();
            Await.until("no caller waits", () -> client.waiting() == 0);
        }
        elsewhere.unlock();
        assertFree();
    }

    @Test
    void disposalsAtAnyMomentLeaveNothing() {
        List<Throwable> undelivered = new ArrayList<>();
        RxJavaPlugins.setErrorHandler(undelivered::add);
        try {
            for (int i = 0; i < 2_000; i++) {
                Completable use = i % 4 == 0
                        ? lock.acquire().doOnSuccess(Lease::releaseAsync).ignoreElement()
                        : lock.withLock(Completable.complete());
                Disposable subscription =
                        use.subscribeOn(Schedulers.computation()).subscribe(() -> {}, failure -> {});
                for (int spin = 0; spin < i % 50; spin++) {
                    Thread.onSpinWait();
                }
                if (i % 3 != 0) {
                    Thread.yield();
                }
                subscription.dispose();
            }
            assertFree();
        } finally {
            RxJavaPlugins.setErrorHandler(null);
        }
        assertThat(undelivered).isEmpty();
    }

    @Test
    void failuresAreThoseOfTheLock() throws InterruptedException {
        server.freeze();
        ended(lock.tryAcquire(Duration.ZERO).test()).assertError(BackendException.class);
        server.thaw();
        RxLock interrupting = locks.lock("stock", LockOptions.defaults().withOnLoss(LockOptions.OnLoss.INTERRUPT));
        ended(interrupting.acquire().test()).assertError(UnsupportedOperationException.class);
    }

    // ================================================================ bodies

    @Test
    void aBodyRunsUnderTheLockWhichIsReleasedBeforeItsEnd() throws InterruptedException {
        assertThat(lock.withLock(Single.fromCallable(this::isHeldHere))
                        .map(held -> held && !isHeldHere())
                        .blockingGet())
                .isTrue();
        assertThat(lock.withLock(Maybe.fromCallable(this::isHeldHere)).blockingGet())
                .isTrue();
        assertThat(lock.withLock(SHORT, Maybe.<Boolean>empty()).blockingGet()).isNull();
        List<Boolean> seen = new ArrayList<>();
        ended(lock.withLock(Completable.fromAction(() -> seen.add(isHeldHere())))
                        .andThen(Completable.fromAction(() -> seen.add(isHeldHere())))
                        .test())
                .assertComplete();
        ended(lock.withLock(SHORT, Completable.fromAction(() -> seen.add(isHeldHere())))
                        .test())
                .assertComplete();
        assertThat(seen).containsExactly(true, false, true);
        assertThat(lock.withLock(Flowable.range(1, 3).map(i -> isHeldHere() ? i : -1))
                        .toList()
                        .blockingGet())
                .containsExactly(1, 2, 3);
        assertThat(lock.withLock(SHORT, Single.just(1)).blockingGet()).isEqualTo(1);
        assertFree();
    }

    @Test
    void aBodyThatFailsReleasesTheLock() throws InterruptedException {
        IllegalStateException failure = new IllegalStateException("no");
        ended(lock.withLock(Single.error(failure)).test()).assertError(failure);
        ended(lock.withLock(Completable.error(failure)).test()).assertError(failure);
        assertFree();
    }

    @Test
    void aBodyThatIsDisposedReleasesTheLock() {
        AtomicBoolean disposed = new AtomicBoolean();
        TestSubscriber<Integer> subscriber = lock.withLock(
                        Flowable.just(1).concatWith(Flowable.never()).doOnCancel(() -> disposed.set(true)))
                .test();
        subscriber.awaitCount(1);
        subscriber.cancel();
        assertThat(disposed).isTrue();
        assertFree();
    }

    @Test
    void aBodyIsNotSubscribedToIfTheLockIsTaken() throws InterruptedException {
        elsewhere.lock();
        AtomicBoolean begun = new AtomicBoolean();
        ended(lock.withLock(SHORT, Completable.fromAction(() -> begun.set(true)))
                        .test())
                .assertError(LockTimeoutException.class);
        ended(lock.withLock(Duration.ZERO, Single.just(1)).test()).assertError(LockTimeoutException.class);
        assertThat(begun).isFalse();
        elsewhere.unlock();
    }

    @Test
    void aLossIsTheFailureOfTheBody() throws InterruptedException {
        RxLock brief = locks.lock("stock", LockOptions.defaults().withFixedLease(Duration.ofMillis(100)));
        ended(brief.withLock(Completable.timer(300, TimeUnit.MILLISECONDS)).test())
                .assertError(LeaseLostException.class);
        IllegalStateException failure = new IllegalStateException("no");
        ended(brief.withLock(Completable.timer(300, TimeUnit.MILLISECONDS).andThen(Completable.error(failure)))
                        .test())
                .assertError(failure);
        assertThat(failure.getSuppressed()[0]).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void demandIsThatOfTheSubscriber() {
        TestSubscriber<Integer> subscriber = new TestSubscriber<>(0);
        lock.withLock(Flowable.range(1, 1_000)).subscribe(subscriber);
        subscriber.request(2);
        subscriber.awaitCount(2);
        subscriber.assertValues(1, 2);
        subscriber.cancel();
        assertFree();
    }

    // ================================================================ other kinds

    @Test
    void otherKindsAreHeldToo() throws InterruptedException {
        RxReadWriteLock prices = locks.readWriteLock("prices");
        Lease reading = prices.readLock().acquire().blockingGet();
        assertThat(prices.readLock().withLock(SHORT, Single.just(1)).blockingGet())
                .isEqualTo(1);
        ended(prices.writeLock().tryAcquire(SHORT).test()).assertNoValues().assertComplete();
        reading.release();

        RxSemaphore uploads = locks.semaphore("uploads", 3);
        Lease two = uploads.acquire(2).blockingGet();
        ended(uploads.tryAcquire(2, SHORT).test()).assertNoValues().assertComplete();
        assertThat(uploads.withPermit(Single.fromCallable(
                                () -> other.semaphore("uploads", 3).availablePermits()))
                        .blockingGet())
                .isZero();
        Lease third = uploads.acquire().blockingGet();
        ended(uploads.withPermit(SHORT, Maybe.just(1)).test()).assertError(LockTimeoutException.class);
        two.release();
        third.release();

        RxLock both = locks.multiLock(client.lock("stock"), client.lock("orders"));
        assertThat(both.withLock(Single.fromCallable(this::isHeldHere)).blockingGet())
                .isTrue();
        assertFree();
    }

    @Test
    void eachTypeOfBodyRunsUnderAPermit() throws InterruptedException {
        RxSemaphore uploads = locks.semaphore("uploads", 3);
        LeasedSemaphore there = other.semaphore("uploads", 3);
        Single<Integer> free = Single.fromCallable(there::availablePermits);
        assertThat(uploads.withPermit(free.toMaybe()).blockingGet()).isEqualTo(2);
        assertThat(uploads.withPermit(free.repeat(2)).toList().blockingGet()).containsExactly(2, 2);
        List<Integer> seen = new ArrayList<>();
        uploads.withPermit(free.doOnSuccess(seen::add).ignoreElement()).blockingAwait();
        assertThat(uploads.withPermit(SHORT, free).blockingGet()).isEqualTo(2);
        assertThat(uploads.withPermit(SHORT, free.toMaybe()).blockingGet()).isEqualTo(2);
        assertThat(uploads.withPermit(SHORT, free.repeat(2)).toList().blockingGet())
                .containsExactly(2, 2);
        uploads.withPermit(SHORT, free.doOnSuccess(seen::add).ignoreElement()).blockingAwait();
        assertThat(seen).containsExactly(2, 2);
        Await.until("all permits are free", () -> there.availablePermits() == 3);

        Lease all = there.acquire(3);
        ended(uploads.withPermit(SHORT, free).test()).assertError(LockTimeoutException.class);
        ended(uploads.withPermit(SHORT, Completable.complete()).test()).assertError(LockTimeoutException.class);
        TestSubscriber<Integer> refused =
                uploads.withPermit(SHORT, free.repeat(2)).test();
        assertThat(refused.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        refused.assertError(LockTimeoutException.class);
        all.release();
    }

    @Test
    void aLatchIsWaitedFor() throws InterruptedException {
        RxLatch latch = locks.latch("import");
        ended(latch.countDown().test()).assertError(IllegalStateException.class);
        assertThat(latch.trySetCount(2).blockingGet()).isTrue();
        assertThat(latch.await(SHORT).blockingGet()).isFalse();
        TestObserver<Void> waiter = latch.await().test();
        latch.countDown("a").blockingAwait();
        latch.countDown("a").blockingAwait();
        waiter.assertNotComplete();
        latch.countDown().blockingAwait();
        ended(waiter).assertComplete();
        assertThat(latch.await(SHORT).blockingGet()).isTrue();
    }
}
