// SPDX-License-Identifier: Apache-2.0
package io.boltwork.rxjava;

import io.boltwork.FencedLock;
import io.boltwork.Lease;
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
 * A lock for RxJava 3, see {@link RxLocks}. Thread-safe.
 *
 * @since 0.1.0
 */
public final class RxLock {

    private final FencedLock lock;

    private RxLock(FencedLock lock) {
        this.lock = lock;
    }

    /**
     * Returns a lock for RxJava 3.
     *
     * @param lock the lock: plain, a side of a read-write lock, or a multi-lock
     * @return the lock
     */
    public static RxLock of(FencedLock lock) {
        return new RxLock(Objects.requireNonNull(lock, "lock"));
    }

    /**
     * Returns the name of the lock.
     *
     * @return the name
     */
    public String name() {
        return lock.name();
    }

    /**
     * Acquires the lock, waiting as long as necessary. Prefer {@link #withLease}, which releases the lease.
     *
     * @return a publisher of the lease, which the subscriber must release. A disposal before the lease withdraws the
     *     request. A disposal after it releases the lease, unless a method of the lease has been called. Some
     *     operators, such as {@code observeOn}, keep a disposal to themselves and drop the lease, which
     *     {@code withLease} never does
     */
    public Single<Lease> acquire() {
        return Acquisition.offeredAlways(wish());
    }

    /**
     * Acquires the lock if it becomes available within a limited time. Otherwise like {@link #acquire()}.
     *
     * @param wait the longest time to wait; zero or less means not to wait
     * @return a publisher of the lease, which the subscriber must release; empty if the lock was taken for all that
     *     time
     */
    public Maybe<Lease> tryAcquire(Duration wait) {
        return Acquisition.offered(attempt(wait));
    }

    /**
     * Subscribes to a body under the lock, waiting as long as necessary. It is released before the end of the body is
     * passed on, and when the subscription is disposed.
     *
     * @param body what needs the lock
     * @param <T> the type of the value
     * @return the body under the lock; it fails with {@link io.boltwork.LeaseLostException} if the lease was lost
     *     before the body had ended
     */
    public <T> Single<T> withLock(Single<T> body) {
        Objects.requireNonNull(body, "body");
        return Acquisition.body(wish(), IllegalStateException::new, lease -> body.toFlowable())
                .singleOrError();
    }

    /**
     * Subscribes to a body under the lock, like {@link #withLock(Single)}.
     *
     * @param body what needs the lock
     * @param <T> the type of the value
     * @return the body under the lock
     */
    public <T> Maybe<T> withLock(Maybe<T> body) {
        Objects.requireNonNull(body, "body");
        return Acquisition.body(wish(), IllegalStateException::new, lease -> body.toFlowable())
                .singleElement();
    }

    /**
     * Subscribes to a body under the lock, like {@link #withLock(Single)}.
     *
     * @param body what needs the lock
     * @return the body under the lock
     */
    public Completable withLock(Completable body) {
        Objects.requireNonNull(body, "body");
        return Acquisition.body(wish(), IllegalStateException::new, lease -> body.<Object>toFlowable())
                .ignoreElements();
    }

    /**
     * Subscribes to a body under the lock, like {@link #withLock(Single)}.
     *
     * @param body what needs the lock
     * @param <T> the type of the values
     * @return the body under the lock
     */
    public <T> Flowable<T> withLock(Flowable<T> body) {
        Objects.requireNonNull(body, "body");
        return Acquisition.body(wish(), IllegalStateException::new, lease -> body);
    }

    /**
     * Subscribes to a body under the lock, after waiting for a limited time. Otherwise like {@link #withLock(Single)}.
     *
     * @param wait the longest time to wait; zero or less means not to wait
     * @param body what needs the lock
     * @param <T> the type of the value
     * @return the body under the lock; it fails with {@link LockTimeoutException} if it was not available in that time
     */
    public <T> Single<T> withLock(Duration wait, Single<T> body) {
        Objects.requireNonNull(body, "body");
        return Acquisition.body(attempt(wait), refused(wait), lease -> body.toFlowable())
                .singleOrError();
    }

    /**
     * Subscribes to a body under the lock, like {@link #withLock(Duration, Single)}.
     *
     * @param wait the longest time to wait; zero or less means not to wait
     * @param body what needs the lock
     * @param <T> the type of the value
     * @return the body under the lock
     */
    public <T> Maybe<T> withLock(Duration wait, Maybe<T> body) {
        Objects.requireNonNull(body, "body");
        return Acquisition.body(attempt(wait), refused(wait), lease -> body.toFlowable())
                .singleElement();
    }

    /**
     * Subscribes to a body under the lock, like {@link #withLock(Duration, Single)}.
     *
     * @param wait the longest time to wait; zero or less means not to wait
     * @param body what needs the lock
     * @return the body under the lock
     */
    public Completable withLock(Duration wait, Completable body) {
        Objects.requireNonNull(body, "body");
        return Acquisition.body(attempt(wait), refused(wait), lease -> body.<Object>toFlowable())
                .ignoreElements();
    }

    /**
     * Subscribes to a body under the lock, like {@link #withLock(Duration, Single)}.
     *
     * @param wait the longest time to wait; zero or less means not to wait
     * @param body what needs the lock
     * @param <T> the type of the values
     * @return the body under the lock
     */
    public <T> Flowable<T> withLock(Duration wait, Flowable<T> body) {
        Objects.requireNonNull(body, "body");
        return Acquisition.body(attempt(wait), refused(wait), lease -> body);
    }

    /**
     * Subscribes to a body that needs the lease, such as its fencing token. Otherwise like {@link #withLock(Single)}.
     *
     * @param body makes what needs the lock; must not release the lease
     * @param <T> the type of the value
     * @return the body under the lock
     */
    public <T> Single<T> withLease(Function<? super Lease, ? extends Single<T>> body) {
        Objects.requireNonNull(body, "body");
        return Acquisition.body(
                        wish(),
                        IllegalStateException::new,
                        lease -> body.apply(lease).toFlowable())
                .singleOrError();
    }

    /**
     * Subscribes to a body that needs the lease, after waiting for a limited time. Otherwise like
     * {@link #withLock(Duration, Single)}.
     *
     * @param wait the longest time to wait; zero or less means not to wait
     * @param body makes what needs the lock; must not release the lease
     * @param <T> the type of the value
     * @return the body under the lock; it fails with {@link LockTimeoutException} if it was not available in that time
     */
    public <T> Single<T> withLease(Duration wait, Function<? super Lease, ? extends Single<T>> body) {
        Objects.requireNonNull(body, "body");
        return Acquisition.body(
                        attempt(wait), refused(wait), lease -> body.apply(lease).toFlowable())
                .singleOrError();
    }

    private Acquisition<Lease, Lease> wish() {
        return Acquisition.lease(lock::acquireAsync);
    }

    private Acquisition<Optional<Lease>, Lease> attempt(Duration wait) {
        Objects.requireNonNull(wait, "wait");
        return Acquisition.optional(() -> lock.tryAcquireAsync(wait));
    }

    private Supplier<LockTimeoutException> refused(Duration wait) {
        return () -> new LockTimeoutException(name(), wait);
    }

    @Override
    public String toString() {
        return "Rx" + lock;
    }
}
