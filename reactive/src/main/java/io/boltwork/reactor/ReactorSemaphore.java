// SPDX-License-Identifier: Apache-2.0
package io.boltwork.reactor;

import io.boltwork.Lease;
import io.boltwork.LeasedSemaphore;
import io.boltwork.LockTimeoutException;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Function;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A semaphore for Reactor, see {@link ReactorLocks}. Thread-safe.
 *
 * @since 0.1.0
 */
public final class ReactorSemaphore {

    private final LeasedSemaphore semaphore;

    ReactorSemaphore(LeasedSemaphore semaphore) {
        this.semaphore = semaphore;
    }

    /**
     * Acquires one permit, waiting as long as necessary.
     *
     * @return a publisher of the lease, which the subscriber must release. A cancellation before the lease withdraws
     *     the request. A cancellation after it releases the lease, unless a method of the lease has been called
     */
    public Mono<Lease> acquire() {
        return acquire(1);
    }

    /**
     * Acquires several permits at once, waiting as long as necessary. Otherwise like {@link #acquire()}.
     *
     * @param permits how many, 1 or more
     * @return a publisher of the lease, which the subscriber must release
     */
    public Mono<Lease> acquire(int permits) {
        return new OfferedLeases(Acquisitions.lease(context -> semaphore.acquireAsync(permits)));
    }

    /**
     * Acquires several permits at once if they become free within a limited time. Otherwise like {@link #acquire()}.
     *
     * @param permits how many, 1 or more
     * @param wait the longest time to wait; zero or less means not to wait
     * @return a publisher of the lease, which the subscriber must release; empty if they were not free in that time
     */
    public Mono<Lease> tryAcquire(int permits, Duration wait) {
        return new OfferedLeases(forGuard(permits, wait));
    }

    /**
     * Subscribes to a body under a permit, waiting as long as necessary. The permit is released before the end of the
     * body is passed on, and when the subscription is cancelled.
     *
     * @param body what needs the permit
     * @param <T> the type of the value
     * @return the body under a permit
     */
    public <T> Mono<T> withPermit(Mono<T> body) {
        Objects.requireNonNull(body, "body");
        return Acquisitions.one(Acquisitions.lease(context -> semaphore.acquireAsync()), lease -> body);
    }

    /**
     * Subscribes to a body under a permit, like {@link #withPermit(Mono)}.
     *
     * @param body what needs the permit
     * @param <T> the type of the values
     * @return the body under a permit
     */
    public <T> Flux<T> withPermit(Flux<T> body) {
        Objects.requireNonNull(body, "body");
        return Acquisitions.many(Acquisitions.lease(context -> semaphore.acquireAsync()), lease -> body);
    }

    /**
     * Subscribes to a body under a permit, after waiting for it for a limited time.
     *
     * @param wait the longest time to wait; zero or less means not to wait
     * @param body what needs the permit
     * @param <T> the type of the value
     * @return the body under a permit; it fails with {@link LockTimeoutException} if no permit was free in that time
     */
    public <T> Mono<T> withPermit(Duration wait, Mono<T> body) {
        Objects.requireNonNull(body, "body");
        return Acquisitions.one(acquired(1, wait), lease -> body);
    }

    /**
     * Subscribes to a body under a permit, like {@link #withPermit(Duration, Mono)}.
     *
     * @param wait the longest time to wait; zero or less means not to wait
     * @param body what needs the permit
     * @param <T> the type of the values
     * @return the body under a permit
     */
    public <T> Flux<T> withPermit(Duration wait, Flux<T> body) {
        Objects.requireNonNull(body, "body");
        return Acquisitions.many(acquired(1, wait), lease -> body);
    }

    /**
     * Subscribes to a body under several permits, waiting as long as necessary. Otherwise like
     * {@link #withPermit(Mono)}.
     *
     * @param permits how many, 1 or more
     * @param body makes what needs the permits; must not release the lease
     * @param <T> the type of the value
     * @return the body under the permits
     */
    public <T> Mono<T> withLease(int permits, Function<? super Lease, ? extends Mono<T>> body) {
        Objects.requireNonNull(body, "body");
        return Acquisitions.one(Acquisitions.lease(context -> semaphore.acquireAsync(permits)), body);
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
    public <T> Mono<T> withLease(int permits, Duration wait, Function<? super Lease, ? extends Mono<T>> body) {
        Objects.requireNonNull(body, "body");
        return Acquisitions.one(acquired(permits, wait), body);
    }

    private Mono<Lease> forGuard(int permits, Duration wait) {
        Objects.requireNonNull(wait, "wait");
        return Acquisitions.optional(context -> semaphore.tryAcquireAsync(permits, wait));
    }

    private Mono<Lease> acquired(int permits, Duration wait) {
        return forGuard(permits, wait)
                .switchIfEmpty(Mono.error(() -> new LockTimeoutException(semaphore.name(), wait)));
    }

    @Override
    public String toString() {
        return "Reactor" + semaphore;
    }
}
