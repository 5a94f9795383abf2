// SPDX-License-Identifier: Apache-2.0
package io.boltwork;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A semaphore over all clients of a backend: the holders share its permits, and each holds some of them by a
 * {@link Lease}. Requests are served in the order in which they reach the backend: a request that does not fit waits,
 * and no later one overtakes it, so that requests for many permits are not starved. The permits of a holder that dies
 * return when its lease ends. Thread-safe.
 *
 * <p>A lease belongs to its handle and to no thread. A semaphore is not reentrant: a thread that acquires twice holds
 * two leases.
 *
 * <p>All methods that acquire throw {@link BackendException} and {@link ClientClosedException} as those of
 * {@link FencedLock} do, and {@link PermitsExceededException} if more permits are wanted than the semaphore has.
 *
 * <!-- snippet: ClassExamples.java#LeasedSemaphore -->
 * <pre>{@code
 * LeasedSemaphore uploads = locks.semaphore("uploads", 3);
 * try (Lease permit = uploads.acquire()) {
 *     upload.run();
 * }
 * }</pre>
 *
 * <p>The number of permits is that of the client that used the semaphore first, until it is {@linkplain #resize set}.
 *
 * @since 0.1.0
 */
public interface LeasedSemaphore {

    /**
     * Returns the name of the semaphore.
     *
     * @return the name
     */
    String name();

    /**
     * Returns the same semaphore with other options.
     *
     * @param options the options; {@link LockOptions.OnLoss#INTERRUPT} is refused, because a lease belongs to no thread
     * @return a view of this semaphore
     */
    LeasedSemaphore withOptions(LockOptions options);

    // ================================================================ acquiring

    /**
     * Acquires one permit, waiting as long as necessary. Interrupts are ignored, and the thread's flag is set when the
     * method returns. Blocks for one round trip if a permit is free.
     *
     * @return the lease of the permit
     */
    default Lease acquire() {
        return acquire(1);
    }

    /**
     * Acquires several permits at once, waiting as long as necessary, like {@link #acquire()}.
     *
     * @param permits how many, 1 or more
     * @return the lease of all of them
     * @throws IllegalArgumentException if the number is not positive
     */
    Lease acquire(int permits);

    /**
     * Acquires several permits at once, waiting until they are free or the thread is interrupted.
     *
     * @param permits how many, 1 or more
     * @return the lease of all of them
     * @throws InterruptedException if the thread is interrupted; it holds nothing then
     * @throws IllegalArgumentException if the number is not positive
     */
    Lease acquireInterruptibly(int permits) throws InterruptedException;

    /**
     * Acquires one permit if one is free and no other request waits for permits. Blocks for one round trip at most.
     *
     * @return the lease; empty if it was refused
     */
    default Optional<Lease> tryAcquire() {
        return tryAcquire(1);
    }

    /**
     * Acquires several permits at once if they are free and no other request waits, like {@link #tryAcquire()}.
     *
     * @param permits how many, 1 or more
     * @return the lease of all of them; empty if they were refused
     * @throws IllegalArgumentException if the number is not positive
     */
    Optional<Lease> tryAcquire(int permits);

    /**
     * Acquires one permit if one becomes free within a limited time.
     *
     * @param wait how long to wait; zero or less does not wait
     * @return the lease; empty if it was refused
     * @throws InterruptedException if the thread is interrupted; it holds nothing then
     */
    default Optional<Lease> tryAcquire(Duration wait) throws InterruptedException {
        return tryAcquire(1, wait);
    }

    /**
     * Acquires several permits at once if they become free within a limited time.
     *
     * @param permits how many, 1 or more
     * @param wait how long to wait; zero or less does not wait
     * @return the lease of all of them; empty if they were refused
     * @throws InterruptedException if the thread is interrupted; it holds nothing then
     * @throws IllegalArgumentException if the number is not positive
     */
    Optional<Lease> tryAcquire(int permits, Duration wait) throws InterruptedException;

    /**
     * Acquires one permit without blocking. The stage completes on the client's executor for callbacks. If its future
     * is cancelled or completed otherwise, the request is withdrawn.
     *
     * @return a stage that completes with the lease
     */
    default CompletionStage<Lease> acquireAsync() {
        return acquireAsync(1);
    }

    /**
     * Acquires several permits at once without blocking, like {@link #acquireAsync()}.
     *
     * @param permits how many, 1 or more
     * @return a stage that completes with the lease of all of them
     * @throws IllegalArgumentException if the number is not positive
     */
    CompletionStage<Lease> acquireAsync(int permits);

    /**
     * Acquires several permits at once without blocking, if they become free within a limited time.
     *
     * @param permits how many, 1 or more
     * @param wait how long to wait; zero or less does not wait
     * @return a stage that completes with the lease of all of them, or empty if they were refused
     * @throws IllegalArgumentException if the number is not positive
     */
    CompletionStage<Optional<Lease>> tryAcquireAsync(int permits, Duration wait);

    /**
     * Executes an asynchronous action with one permit, and releases the permit when the action's stage has completed.
     * If the returned future is cancelled or completed otherwise, a request that waits is withdrawn. An action that has
     * begun keeps its permit until it ends.
     *
     * @param wait the longest time to wait; zero or less means not to wait
     * @param body the action, which receives the lease; called on the client's callback executor
     * @param <T> the type of the value
     * @return a stage that completes on the client's callback executor when the permit has been released, with the
     *     outcome of the body's stage; or with {@link LockTimeoutException} if no permit was free in that time,
     *     {@link LeaseLostException} if the lease was lost before the body had ended, or {@link BackendException} if
     *     the time has passed without any answer from the backend
     */
    <T extends @Nullable Object> CompletionStage<T> callAsync(
            Duration wait, Function<? super Lease, ? extends CompletionStage<T>> body);

    /**
     * Acquires all permits that are free, without waiting. Takes two round trips; if other clients are faster, it tries
     * three times at most.
     *
     * @return the lease of all of them; empty if none is free, or other requests wait
     */
    Optional<Lease> drain();

    // ================================================================ permits

    /**
     * Returns how many permits are free. Asks the backend and blocks for one round trip; the answer may be outdated
     * when it arrives.
     *
     * @return the permits that are not held; 0 if more are held than there are, because the semaphore was resized
     */
    int availablePermits();

    /**
     * Sets the number of permits, for all clients. Holders keep what they hold: after a reduction, nothing is granted
     * until enough has been released. Callers that wait for more permits than there are then fail at once with {@link
     * PermitsExceededException}; those whose client misses the message fail within 5 s. The number stays until it is
     * set again, or until the semaphore has not been used for 30 days. Blocks for one round trip.
     *
     * @param permits the new number, 1 or more
     * @throws IllegalArgumentException if the number is not positive
     */
    void resize(int permits);
}
