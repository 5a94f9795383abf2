// SPDX-License-Identifier: Apache-2.0
package io.boltwork;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executor;

/**
 * A candidate that leads while it holds a lock. Of all candidates with the same lock, in all JVMs, one leads at a time.
 * A candidate stands for election until it is closed: again after each loss, failure and {@link #yieldFor}.
 *
 * <!-- snippet: ClassExamples.java#Leadership -->
 * <pre>{@code
 * Leadership leadership = Leadership.of(locks.lock("reports"), new LeadershipListener() {
 *     @Override
 *     public void elected(Lease lease) {
 *         reports.start(lease.fencingToken());
 *     }
 *
 *     @Override
 *     public void revoked(Revocation revocation) {
 *         reports.stop(); // returns when the work has ended
 *     }
 * });
 * }</pre>
 *
 * <p><b>Waiting.</b> A candidate waits in the lock's queue and is woken when the lock is granted to it. It occupies no
 * thread, except while {@link LeadershipListener#elected} or {@link LeadershipListener#revoked} runs. If the backend
 * fails, it asks again after a pause that grows from about half a second to 30 s.
 *
 * <p><b>The lock</b> decides how fast a dead leader is replaced ({@link LockOptions#renewedLease}), for how long one
 * candidate may lead ({@link LockOptions#withMaxHold}), and how much time an old leader has to stop after its lease has
 * ended ({@link LockOptions#withTakeoverDelay}). With {@link LockOptions.OnLoss#INTERRUPT}, the thread that runs
 * {@code elected} is interrupted when the leadership ends, for whatever reason.
 *
 * <p><b>Old leaders.</b> A leader that was frozen, or whose lock was taken away, may not know for a moment that another
 * one leads. Pass the fencing token with each write, and let the resource reject old ones.
 *
 * <p>Thread-safe. A leadership goes on if it is no longer referred to, and ends when its client is closed.
 *
 * @since 0.1.0
 */
public interface Leadership extends AutoCloseable {

    /**
     * Returns a candidate that stands for election from now on, with a new thread for each call of
     * {@link LeadershipListener#elected}. Does not block. The listener may be called before this method has returned.
     *
     * @param lock the lock of the leader, made by {@link LockClient#lock}
     * @param listener the listener
     * @return the candidate
     * @throws IllegalArgumentException if the lock is of another kind
     */
    static Leadership of(FencedLock lock, LeadershipListener listener) {
        return of(lock, listener, work -> {
            Thread thread = new Thread(work, "boltwork-leader");
            thread.setDaemon(true);
            thread.start();
        });
    }

    /**
     * Returns a candidate that stands for election from now on. Does not block. The listener may be called before this
     * method has returned.
     *
     * @param lock the lock of the leader, made by {@link LockClient#lock}
     * @param listener the listener
     * @param executor runs {@link LeadershipListener#elected}; {@code Runnable::run} is for listeners that return at
     *     once. If it rejects a task, the leadership is given up as if {@code elected} had thrown
     * @return the candidate
     * @throws IllegalArgumentException if the lock is of another kind
     */
    static Leadership of(FencedLock lock, LeadershipListener listener, Executor executor) {
        return LeaderCandidate.start(lock, listener, executor);
    }

    /**
     * Returns the name of the lock.
     *
     * @return the name
     */
    String lockName();

    /**
     * Returns whether this candidate leads: {@link LeadershipListener#elected} has been called, nothing has ended the
     * leadership since, and the lease is {@linkplain Lease#isValid valid}. No round trip.
     *
     * @return whether it leads
     */
    boolean isLeader();

    /**
     * Returns the lease of this candidate if it {@linkplain #isLeader leads}, for its fencing token. Releasing this
     * lease does nothing. No round trip.
     *
     * @return the lease, or empty
     */
    Optional<Lease> lease();

    /**
     * Asks the backend which client leads, since when, and with which token. Blocks for two round trips at most; the
     * answer may be outdated when it arrives.
     *
     * @return the holder of the lock; empty if there is no leader
     * @throws BackendException if the backend does not answer within its command timeout
     * @throws ClientClosedException if the client is closed
     */
    Optional<LockInfo.Holder> leader();

    /**
     * Gives up the leadership, and does not stand again before the time has passed. A candidate that does not lead
     * leaves the queue for that time. {@link #isLeader} returns {@code false} at once. Does not block: another
     * candidate is elected when {@link LeadershipListener#elected} and then {@link LeadershipListener#revoked} have
     * returned. Does nothing after {@link #close}.
     *
     * @param time the time from now on; zero or less to stand again at once, behind all candidates that wait
     */
    void yieldFor(Duration time);

    /**
     * Gives up the leadership or the wait for it, for ever. {@link #isLeader} returns {@code false} at once. Blocks
     * until the listener has returned and the lock has been released, for the client's
     * {@linkplain ClientOptions#withShutdownTime shutdown time} at most (5 s by default). After that time, the lock
     * stays taken until the listener has returned. A lock that is granted while the wait is given up is given back a
     * moment later. Does not block if the listener calls it. Interrupts are ignored,
     * and the interrupt flag is kept. Closing twice does nothing.
     */
    @Override
    void close();
}
