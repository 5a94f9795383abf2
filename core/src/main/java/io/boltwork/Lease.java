package io.boltwork;

import java.time.Duration;
import java.util.concurrent.CompletionStage;

/**
 * A hold of a lock as a value: the right to release it, its fencing token, and what is known of its validity. Thread-safe;
 * a lease may be released by any thread.
 *
 * <!-- snippet: ClassExamples.java#Lease -->
 * <pre>{@code
 * try (Lease lease = stock.acquire()) {
 *     lease.whenLost().thenAccept(loss -> abort(loss));
 *     storage.write(row, lease.fencingToken());
 * }
 * }</pre>
 *
 * <p>A {@code try} closes its lease before its {@code catch} and {@code finally}: what is to be protected, such as stopping work
 * that goes on elsewhere, belongs inside its block.
 *
 * <p>Validity is decided by this JVM's monotonic clock, counted from before the lease was asked for: {@link #isValid()} turns
 * false no later than the server may give the lock to somebody else, whether or not the server can be reached. A thread
 * that is stopped between that check and the write that follows it is beyond what any lock can do; the {@linkplain
 * #fencingToken() token} is for that.
 */
public interface Lease extends AutoCloseable {

    /**
     * The lock's name.
     *
     * @return the name
     */
    String lockName();

    /**
     * A number that grows with every hold of this lock, in all threads, clients and JVMs: pass it with each write, and let the
     * resource refuse a number smaller than the largest it has seen. Nested holds have the token of the outermost one. No
     * round trip.
     *
     * @return the token, positive
     */
    long fencingToken();

    /**
     * How much longer the lease lasts if it is not renewed, by the local clock. No round trip.
     *
     * @return the time, zero if the lease has ended or was released
     */
    Duration remaining();

    /**
     * Whether the lease is held: not released, not lost, its deadline not reached. No round trip.
     *
     * @return whether it is held
     */
    boolean isValid();

    /**
     * Throws if the lease is not held any more. No round trip.
     *
     * @throws LeaseLostException if it was lost
     * @throws IllegalStateException if it was released
     */
    void ensureValid();

    /**
     * Makes the lease last: afterwards it ends no earlier than {@code atLeast} after this call, and no earlier than it would
     * have ended before. Renewal goes on as before. Such a hold is not passed on in memory. Blocks for one round trip, at most
     * the backend's command timeout.
     *
     * @param atLeast how long from now on, 1 ms to 365 days
     * @throws LeaseLostException if the lease was lost
     * @throws BackendException if the backend did not answer; the lease may have been prolonged all the same, and runs at least
     *     as long as before
     * @throws IllegalArgumentException if {@code atLeast} is out of range, or goes beyond {@link LockOptions#withMaxHold}
     * @throws IllegalStateException if it was released
     */
    void extend(Duration atLeast);

    /**
     * Asks the backend whether it still knows the lease: one renewal that prolongs nothing, and after which the hold may be
     * passed on in memory as before. For the moment before work is made final: {@link #isValid()} cannot know of a lease that
     * was taken away a moment ago. A lease that the backend has forgotten is restored. Blocks for one round trip, at most the
     * backend's command timeout.
     *
     * @return whether the backend has confirmed the lease; {@code false} if it gave no answer, and the lease is valid by the
     *     local clock
     * @throws LeaseLostException if the lease was lost
     * @throws IllegalStateException if it was released
     */
    boolean verify();

    /**
     * Completes when the lease is lost, on the client's callback executor; never after a clean release.
     *
     * @return a stage that tells of the loss
     */
    CompletionStage<LeaseLoss> whenLost();

    /**
     * Gives the lock back. If this is the outermost hold, the call takes one round trip, at most the backend's command
     * timeout; if the backend does not answer, the lock counts as released here, and the release is repeated in the background
     * until the lease would have ended. Releasing a second time does nothing. Interrupts are ignored, the flag is kept.
     *
     * @throws LeaseLostException if the lease had been lost before
     */
    void release();

    /**
     * Gives the lock back like {@link #release()}, without blocking.
     *
     * @return a stage that completes, on the client's callback executor, when the lock has been given back or the backend has
     *     not answered within its command timeout; with {@link LeaseLostException} if the lease had been lost
     */
    CompletionStage<Void> releaseAsync();

    /** The same as {@link #release()}, for {@code try}-with-resources. */
    @Override
    default void close() {
        release();
    }
}
