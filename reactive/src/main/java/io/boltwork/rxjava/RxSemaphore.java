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
import java.util.function.Function;
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
     * @return a publisher of the lease, which the subscriber must release. A disposal before the lease withdraws the
     *     request. A disposal after it releases the lease, unless a method of the lease has been called. Some
     *     operators, such as {@code observeOn}, keep a disposal to themselves and drop the lease, which
     *     {@code withPermit} never does
     */
    public Single<Lease> acquire() {
        return acquire(1);
    }

    /**
     * Acquires several permits at once, waiting as long as necessary. Otherwise like {@link #acquire()}.
     *
     * @param permits how many, 1 or more
     * @return a publisher of the lease, which the subscriber must release
     */
    public Single<Lease> acquire(int permits) {
        return Acquisition.offeredAlways(wish(permits));
    }

    /**
     * Acquires several permits at once if they become free within a limited time. Otherwise like {@link #acquire()}.
     *
     * @param permits how many, 1 or more
     * @param wait the longest time to wait; zero or less means not to wait
     * @return a publisher of the lease, which the subscriber must release; empty if they were not free in that time
     */
    public Maybe<Lease> tryAcquire(int permits, Duration wait) {
        return Acquisition.offered(attempt(permits, wait));
    }

    /**
     * Subscribes to a body under a permit, waiting as long as necessary. It is released before the end of the body is
     * passed on, and when the subscription is disposed.
     *
     * @param body what needs a permit
     * @param <T> the type of the value
     * @return the body under a permit; it fails with {@link io.boltwork.LeaseLostException} if the lease was lost
     *     before the body had ended
     */
    public <T> Single<T> withPermit(Single<T> body) {
        Objects.requireNonNull(body, "body");
        return Acquisition.body(wish(1), IllegalStateException::new, lease -> body.toFlowable())
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
        return Acquisition.body(wish(1), IllegalStateException::new, lease -> body.toFlowable())
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
        return Acquisition.body(wish(1), IllegalStateException::new, lease -> body.<Object>toFlowable())
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
        return Acquisition.body(wish(1), IllegalStateException::new, lease -> body);
    }

    /**
     * Subscribes to a body under a permit, after waiting for a limited time. Otherwise like
     * {@link #withPermit(Single)}.
     *
     * @param wait the longest time to wait; zero or less means not to wait
     * @param body what needs a permit
     * @param <T> the type of the value
     * @return the body under a permit; it fails with {@link LockTimeoutException} if it was not available in that time
     */
    public <T> Single<T> withPermit(Duration wait, Single<T> body) {
        Objects.requireNonNull(body, "body");
        return Acquisition.body(attempt(1, wait), refused(wait), lease -> body.toFlowable())
                .singleOrError();
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
        return Acquisition.body(attempt(1, wait), refused(wait), lease -> body.toFlowable())
                .singleElement();
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
        return Acquisition.body(attempt(1, wait), refused(wait), lease -> body.<Object>toFlowable())
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
        return Acquisition.body(attempt(1, wait), refused(wait), lease -> body);
    }

    /**
     * Subscribes to a body under several permits, waiting as long as necessary. Otherwise like
     * {@link #withPermit(Single)}.
     *
     * @param permits how many, 1 or more
     * @param body makes what needs the permits; must not release the lease
     * @param <T> the type of the value
     * @return the body under the permits
     */
    public <T> Single<T> withLease(int permits, Function<? super Lease, ? extends Single<T>> body) {
        Objects.requireNonNull(body, "body");
        return Acquisition.body(
                        wish(permits),
                        IllegalStateException::new,
                        lease -> body.apply(lease).toFlowable())
                .singleOrError();
    }

    /**
     * Subscribes to a body under several permits, after waiting for them for a limited time.
     *
     * @param permits how many, 1 or more
     * @param wait the longest time to wait; zero or less means not to wait
     * @param body makes what needs the permits; must not release the lease
     * @param <T> the type of the value
     * @return the body under the permits; it fails with {@link LockTimeoutException} if they were not free in that time
     */
    public <T> Single<T> withLease(int permits, Duration wait, Function<? super Lease, ? extends Single<T>> body) {
        Objects.requireNonNull(body, "body");
        return Acquisition.body(
                        attempt(permits, wait),
                        refused(wait),
                        lease -> body.apply(lease).toFlowable())
                .singleOrError();
    }

    private Acquisition<Lease, Lease> wish(int permits) {
        return Acquisition.lease(() -> semaphore.acquireAsync(permits));
    }

    private Acquisition<Optional<Lease>, Lease> attempt(int permits, Duration wait) {
        Objects.requireNonNull(wait, "wait");
        return Acquisition.optional(() -> semaphore.tryAcquireAsync(permits, wait));
    }

    private Supplier<LockTimeoutException> refused(Duration wait) {
        return () -> new LockTimeoutException(semaphore.name(), wait);
    }

    @Override
    public String toString() {
        return "Rx" + semaphore;
    }
}
