// SPDX-License-Identifier: Apache-2.0
package io.boltwork.rxjava;

import io.boltwork.Lease;
import io.boltwork.LeasedSemaphore;
import io.boltwork.LockTimeoutException;
import io.reactivex.rxjava3.core.Completable;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.core.Maybe;
import io.reactivex.rxjava3.core.Single;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * A semaphore for RxJava 3, see {@link RxLocks}. Thread-safe.
 *
 * @since 0.1.0
 */
public final class RxSemaphore {

    private final LeasedSemaphore semaphore;

    RxSemaphore(LeasedSemaphore semaphore) {
        this.semaphore = semaphore;
    }

    /**
     * Acquires one permit, waiting as long as necessary.
     *
     * @return a publisher of the lease, which the subscriber must release; a disposal before it withdraws the request. An
     *     operator that is disposed just then may drop the lease, which {@code withPermit} never does
     */
    public Single<Lease> acquire() {
        return acquire(1);
    }

    /**
     * Acquires several permits at once, waiting as long as necessary.
     *
     * @param permits how many, 1 or more
     * @return a publisher of the lease, which the subscriber must release; a disposal before it withdraws the request
     */
    public Single<Lease> acquire(int permits) {
        return Acquisition.lease(() -> semaphore.acquireAsync(permits)).toSingle();
    }

    /**
     * Acquires several permits at once if they become free within a limited time.
     *
     * @param permits how many, 1 or more
     * @param wait the longest time to wait; zero or less means not to wait
     * @return a publisher of the lease, which the subscriber must release; empty if they were not free in that time
     */
    public Maybe<Lease> tryAcquire(int permits, Duration wait) {
        Objects.requireNonNull(wait, "wait");
        return Acquisition.optional(() -> semaphore.tryAcquireAsync(permits, wait));
    }

    /**
     * Subscribes to a body under a permit, waiting as long as necessary. It is released before the end of the body is
     * passed on, and when the subscription is disposed.
     *
     * @param body what needs a permit
     * @param <T> the type of the value
     * @return the body under a permit; it fails with {@link io.boltwork.LeaseLostException} if the lease was lost before
     *     the body had ended
     */
    public <T> Single<T> withPermit(Single<T> body) {
        Objects.requireNonNull(body, "body");
        return Acquisition.body(wish(), IllegalStateException::new, body.toFlowable())
                .singleOrError();
    }

    /**
     * Subscribes to a body under a permit, like {@link #withPermit(Single)}.
     *
     * @param body what needs a permit
     * @param <T> the type of the value
     * @return the body under a permit
     */
    public <T> Maybe<T> withPermit(Maybe<T> body) {
        Objects.requireNonNull(body, "body");
        return Acquisition.body(wish(), IllegalStateException::new, body.toFlowable())
                .singleElement();
    }

    /**
     * Subscribes to a body under a permit, like {@link #withPermit(Single)}.
     *
     * @param body what needs a permit
     * @return the body under a permit
     */
    public Completable withPermit(Completable body) {
        Objects.requireNonNull(body, "body");
        return Acquisition.body(wish(), IllegalStateException::new, body.<Object>toFlowable())
                .ignoreElements();
    }

    /**
     * Subscribes to a body under a permit, like {@link #withPermit(Single)}.
     *
     * @param body what needs a permit
     * @param <T> the type of the values
     * @return the body under a permit
     */
    public <T> Flowable<T> withPermit(Flowable<T> body) {
        Objects.requireNonNull(body, "body");
        return Acquisition.body(wish(), IllegalStateException::new, body);
    }

    /**
     * Subscribes to a body under a permit, after waiting for a limited time. Otherwise like {@link #withPermit(Single)}.
     *
     * @param wait the longest time to wait; zero or less means not to wait
     * @param body what needs a permit
     * @param <T> the type of the value
     * @return the body under a permit; it fails with {@link LockTimeoutException} if it was not available in that time
     */
    public <T> Single<T> withPermit(Duration wait, Single<T> body) {
        Objects.requireNonNull(body, "body");
        return Acquisition.body(attempt(wait), refused(wait), body.toFlowable()).singleOrError();
    }

    /**
     * Subscribes to a body under a permit, like {@link #withPermit(Duration, Single)}.
     *
     * @param wait the longest time to wait; zero or less means not to wait
     * @param body what needs a permit
     * @param <T> the type of the value
     * @return the body under a permit
     */
    public <T> Maybe<T> withPermit(Duration wait, Maybe<T> body) {
        Objects.requireNonNull(body, "body");
        return Acquisition.body(attempt(wait), refused(wait), body.toFlowable()).singleElement();
    }

    /**
     * Subscribes to a body under a permit, like {@link #withPermit(Duration, Single)}.
     *
     * @param wait the longest time to wait; zero or less means not to wait
     * @param body what needs a permit
     * @return the body under a permit
     */
    public Completable withPermit(Duration wait, Completable body) {
        Objects.requireNonNull(body, "body");
        return Acquisition.body(attempt(wait), refused(wait), body.<Object>toFlowable())
                .ignoreElements();
    }

    /**
     * Subscribes to a body under a permit, like {@link #withPermit(Duration, Single)}.
     *
     * @param wait the longest time to wait; zero or less means not to wait
     * @param body what needs a permit
     * @param <T> the type of the values
     * @return the body under a permit
     */
    public <T> Flowable<T> withPermit(Duration wait, Flowable<T> body) {
        Objects.requireNonNull(body, "body");
        return Acquisition.body(attempt(wait), refused(wait), body);
    }

    private Acquisition<Lease, Lease> wish() {
        return Acquisition.lease(semaphore::acquireAsync);
    }

    private Acquisition<Optional<Lease>, Lease> attempt(Duration wait) {
        Objects.requireNonNull(wait, "wait");
        return Acquisition.optional(() -> semaphore.tryAcquireAsync(1, wait));
    }

    private Supplier<LockTimeoutException> refused(Duration wait) {
        return () -> new LockTimeoutException(semaphore.name(), wait);
    }

    @Override
    public String toString() {
        return "Rx" + semaphore;
    }
}
