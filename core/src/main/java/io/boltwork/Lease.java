// SPDX-License-Identifier: Apache-2.0
package io.boltwork;

import java.time.Duration;
import java.util.concurrent.CompletionStage;

/**
 * A hold of a lock as a value: the right to release it, its fencing token, and what is known about its validity.
 * Thread-safe; any thread may release a lease.
 *
 * <!-- snippet: ClassExamples.java#Lease -->
 * <pre>{@code
 * try (Lease lease = stock.acquire()) {
 *     lease.whenLost().thenAccept(loss -> abort(loss));
 *     storage.write(row, lease.fencingToken());
 * }
 * }</pre>
 *
 * <p>A {@code try} statement closes its lease before its {@code catch} and {@code finally} blocks run. Work that the
 * lock must protect, such as stopping a task that runs elsewhere, belongs inside the {@code try} block.
 *
 * <p>Validity is decided by this JVM's monotonic clock, counted from a moment before the lease was requested.
 * {@link #isValid()} therefore returns {@code false} before the server may give the lock to another owner, whether or
 * not the server can be reached. No lock can protect a thread that is paused between this check and the write that
 * follows it; the {@linkplain #fencingToken() fencing token} can.
 *
 * @since 0.1.0
 */
public interface Lease extends AutoCloseable {

    /**
     * Returns the name of the lock.
     *
     * @return the name
     */
    String lockName();

    /**
     * Returns a number that grows with every hold of this lock, across all threads, clients and JVMs. Pass it with each
     * write, and let the resource reject a number smaller than the largest one it has seen, as the guards of
     * {@link io.boltwork.fence} do. Nested holds have the token of the outermost one. No round trip.
     *
     * @return the token, a positive number
     * @throws UnsupportedOperationException if this is the lease of a {@link MultiLock}, whose members have a token
     *     each
     */
    long fencingToken();

    /**
     * Returns the lease of one lock: for a {@link MultiLock}, the lease of a member. No round trip.
     *
     * @param lock a member of the multi-lock, with any options; or the lock itself if this is the lease of a single
     *     lock
     * @return the lease of that lock; releasing it releases that member alone
     * @throws IllegalArgumentException if this is not a lease of that lock
     */
    Lease of(FencedLock lock);

    /**
     * Returns how much longer the lease lasts if it is not renewed, by the local clock. No round trip.
     *
     * @return the time; zero if the lease has ended or was released
     */
    Duration remaining();

    /**
     * Returns whether the lease is held: it was not released, it is not lost, and its deadline has not passed. If the
     * lease may have ended while the machine was suspended, this method also returns {@code false} until the backend
     * has confirmed the lease. No round trip.
     *
     * @return whether it is held
     */
    boolean isValid();

    /**
     * Throws an exception unless the lease is held. No round trip.
     *
     * @throws LeaseLostException if the lease was lost
     * @throws IllegalStateException if the lease was released
     * @throws BackendException if the lease may have ended while the machine was suspended, and the backend has not
     *     confirmed it yet; retryable
     */
    void ensureValid();

    /**
     * Extends the lease, so that it ends no earlier than {@code atLeast} after this call and no earlier than before.
     * Renewal continues as before. Such a hold is not handed over in memory. Blocks for one round trip, at most the
     * backend's command timeout.
     *
     * @param atLeast the least time from now on, 1 ms to 365 days
     * @throws LeaseLostException if the lease was lost
     * @throws BackendException if the backend did not answer; the lease may have been extended nevertheless, and lasts
     *     at least as long as before
     * @throws ClientClosedException if the client was closed
     * @throws IllegalArgumentException if {@code atLeast} is out of range, or goes beyond
     *     {@link LockOptions#withMaxHold}
     * @throws IllegalStateException if the lease was released
     */
    void extend(Duration atLeast);

    /**
     * Asks the backend whether it still knows the lease. Use it just before work is committed: {@link #isValid()}
     * cannot know that the lease was taken away a moment ago. The question is a renewal that extends nothing, and the
     * hold may still be handed over in memory afterwards. A lease that the backend has forgotten is restored. Blocks
     * for one round trip, at most the backend's command timeout.
     *
     * @return {@code true} if the backend has confirmed the lease; {@code false} if it gave no answer and the lease is
     *     valid by the local clock
     * @throws LeaseLostException if the lease was lost
     * @throws ClientClosedException if the client was closed
     * @throws IllegalStateException if the lease was released
     */
    boolean verify();

    /**
     * Returns a stage that completes when the lease is lost, on the client's callback executor. The stage never
     * completes after a clean release. Does not block.
     *
     * @return a stage that completes with the loss
     */
    CompletionStage<LeaseLoss> whenLost();

    /**
     * Releases the lock. If this is the outermost hold, the call makes one round trip and blocks for the backend's
     * command timeout at most. If the backend does not answer, the lock counts as released in this client, and the
     * release is repeated in the background until the lease would have ended. Releasing a second time does nothing.
     * Interrupts are ignored, and the interrupt flag is kept.
     *
     * @throws LeaseLostException if the lease had been lost before
     */
    void release();

    /**
     * Releases the lock like {@link #release()}, without blocking.
     *
     * @return a stage that completes on the client's callback executor when the backend has answered or its command
     *     timeout has passed; with {@link LeaseLostException} if the lease had been lost
     */
    CompletionStage<Void> releaseAsync();

    /** Releases the lock like {@link #release()}, for {@code try}-with-resources. */
    @Override
    default void close() {
        release();
    }
}
