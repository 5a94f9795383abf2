// SPDX-License-Identifier: Apache-2.0
package io.boltwork.reactor;

import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LockOwner;
import io.boltwork.LockTimeoutException;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Function;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;

/**
 * A lock for Reactor, see {@link ReactorLocks}. Thread-safe.
 *
 * @since 0.1.0
 */
public final class ReactorLock {

    private final FencedLock lock;

    private ReactorLock(FencedLock lock) {
        this.lock = lock;
    }

    /**
     * Returns a lock for Reactor.
     *
     * @param lock the lock: plain, a side of a read-write lock, or a multi-lock
     * @return the lock
     */
    public static ReactorLock of(FencedLock lock) {
        return new ReactorLock(Objects.requireNonNull(lock, "lock"));
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
     * @return a publisher of the lease, which the subscriber must release. A cancellation before the lease withdraws
     *     the request. A cancellation after it releases the lease, unless a method of the lease has been called
     */
    public Mono<Lease> acquire() {
        return new OfferedLeases(forGuard());
    }

    /**
     * Acquires the lock if it becomes available within a limited time. Otherwise like {@link #acquire()}.
     *
     * @param wait the longest time to wait; zero or less means not to wait
     * @return a publisher of the lease, which the subscriber must release; empty if the lock was taken for all that
     *     time
     */
    public Mono<Lease> tryAcquire(Duration wait) {
        return new OfferedLeases(forGuard(wait));
    }

    /**
     * Subscribes to a body under the lock, waiting for the lock as long as necessary. The lock is released before the
     * end of the body is passed on, and when the subscription is cancelled.
     *
     * @param body what needs the lock
     * @param <T> the type of the value
     * @return the body under the lock; it fails with {@link io.boltwork.LeaseLostException} if the lock was lost before
     *     the body had ended
     */
    public <T> Mono<T> withLock(Mono<T> body) {
        Objects.requireNonNull(body, "body");
        return one(forGuard(), lease -> body);
    }

    /**
     * Subscribes to a body under the lock, like {@link #withLock(Mono)}.
     *
     * @param body what needs the lock
     * @param <T> the type of the values
     * @return the body under the lock
     */
    public <T> Flux<T> withLock(Flux<T> body) {
        Objects.requireNonNull(body, "body");
        return many(forGuard(), lease -> body);
    }

    /**
     * Subscribes to a body under the lock, after waiting for the lock for a limited time. Otherwise like
     * {@link #withLock(Mono)}.
     *
     * @param wait the longest time to wait; zero or less means not to wait
     * @param body what needs the lock
     * @param <T> the type of the value
     * @return the body under the lock; it fails with {@link LockTimeoutException} if the lock was taken for all that
     *     time
     */
    public <T> Mono<T> withLock(Duration wait, Mono<T> body) {
        Objects.requireNonNull(body, "body");
        return one(acquired(wait), lease -> body);
    }

    /**
     * Subscribes to a body under the lock, like {@link #withLock(Duration, Mono)}.
     *
     * @param wait the longest time to wait; zero or less means not to wait
     * @param body what needs the lock
     * @param <T> the type of the values
     * @return the body under the lock
     */
    public <T> Flux<T> withLock(Duration wait, Flux<T> body) {
        Objects.requireNonNull(body, "body");
        return many(acquired(wait), lease -> body);
    }

    /**
     * Subscribes to a body that needs the lease, such as its fencing token. Otherwise like {@link #withLock(Mono)}.
     *
     * @param body makes what needs the lock; must not release the lease
     * @param <T> the type of the value
     * @return the body under the lock
     */
    public <T> Mono<T> withLease(Function<? super Lease, ? extends Mono<T>> body) {
        Objects.requireNonNull(body, "body");
        return one(forGuard(), body);
    }

    /**
     * Subscribes to a body that needs the lease, after waiting for a limited time. Otherwise like
     * {@link #withLock(Duration, Mono)}.
     *
     * @param wait the longest time to wait; zero or less means not to wait
     * @param body makes what needs the lock; must not release the lease
     * @param <T> the type of the value
     * @return the body under the lock; it fails with {@link LockTimeoutException} if the lock was taken for all that
     *     time
     */
    public <T> Mono<T> withLease(Duration wait, Function<? super Lease, ? extends Mono<T>> body) {
        Objects.requireNonNull(body, "body");
        return one(acquired(wait), body);
    }

    /**
     * Subscribes to a body of several values that needs the lease, like {@link #withLease(Function)}.
     *
     * @param body makes what needs the lock; must not release the lease
     * @param <T> the type of the values
     * @return the body under the lock
     */
    public <T> Flux<T> withLeaseMany(Function<? super Lease, ? extends Publisher<T>> body) {
        Objects.requireNonNull(body, "body");
        return many(forGuard(), body);
    }

    /**
     * Subscribes to a body of several values that needs the lease, like {@link #withLease(Duration, Function)}.
     *
     * @param wait the longest time to wait; zero or less means not to wait
     * @param body makes what needs the lock; must not release the lease
     * @param <T> the type of the values
     * @return the body under the lock
     */
    public <T> Flux<T> withLeaseMany(Duration wait, Function<? super Lease, ? extends Publisher<T>> body) {
        Objects.requireNonNull(body, "body");
        return many(acquired(wait), body);
    }

    private <T> Mono<T> one(Mono<Lease> lease, Function<? super Lease, ? extends Publisher<T>> body) {
        return many(lease, body).singleOrEmpty();
    }

    private <T> Flux<T> many(Mono<Lease> lease, Function<? super Lease, ? extends Publisher<T>> body) {
        Flux<T> guarded = Acquisitions.many(lease, body);
        return lock.owner()
                .map(own -> guarded.contextWrite(Context.of(LockOwner.class, own)))
                .orElseGet(() -> Acquisitions.owned("pipeline under " + name(), guarded));
    }

    private Mono<Lease> forGuard() {
        return Acquisitions.lease(context -> Acquisitions.ownedBy(context, lock).acquireAsync());
    }

    private Mono<Lease> forGuard(Duration wait) {
        Objects.requireNonNull(wait, "wait");
        return Acquisitions.optional(
                context -> Acquisitions.ownedBy(context, lock).tryAcquireAsync(wait));
    }

    private Mono<Lease> acquired(Duration wait) {
        return forGuard(wait).switchIfEmpty(Mono.error(() -> new LockTimeoutException(name(), wait)));
    }

    @Override
    public String toString() {
        return "Reactor" + lock;
    }
}
