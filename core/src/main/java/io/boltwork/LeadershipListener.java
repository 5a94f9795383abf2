// SPDX-License-Identifier: Apache-2.0
package io.boltwork;

import java.util.Optional;

/**
 * Is told when a {@link Leadership} begins and ends. Its methods are called in turn: each {@code elected} is followed
 * by one {@code revoked}, which is called when {@code elected} has returned. What they throw is logged, except by work
 * that was interrupted.
 *
 * @since 0.1.0
 */
public interface LeadershipListener {

    /**
     * Called when this candidate has become the leader, on a thread of its own, or on the executor that was given. The
     * candidate remains the leader after this method has returned. The method may also do the leader's work itself,
     * for as long as the lease is valid. Work that blocks needs {@link LockOptions.OnLoss#INTERRUPT}, or else the lock
     * stays taken until it has ended. If the method throws, the leadership ends, and the candidate stands again after
     * a pause that grows with each failure, from about half a second to 30 s.
     *
     * @param lease the lease of the lock, for its fencing token. It is valid while this candidate leads; releasing it
     *     does nothing
     * @throws Exception if this candidate cannot lead
     */
    void elected(Lease lease) throws Exception;

    /**
     * Called when the leadership has ended, on the client's callback executor: at once if {@link #elected} has
     * returned, and otherwise when it returns. After a loss, it is called as soon as the loss is known. Otherwise the
     * lock is released when this method has returned, so no other candidate is elected before that. Stop the work of
     * the leader here, and wait for its end.
     *
     * @param revocation what has ended, and why
     * @throws Exception if the work could not be stopped; the leadership ends nevertheless
     */
    void revoked(Revocation revocation) throws Exception;

    /**
     * The end of a leadership.
     *
     * @param fencingToken the token of the lease that was given to {@link #elected}
     * @param reason why it ended
     * @param loss the loss of the lease, if that was the reason
     * @since 0.1.0
     */
    record Revocation(long fencingToken, Reason reason, Optional<LeaseLoss> loss) {}

    /** The reason why a leadership ended. */
    enum Reason {
        /** The lease was lost. Another candidate may lead already. */
        LOST,
        /** {@link Leadership#yieldFor} was called. */
        YIELDED,
        /** {@link #elected} threw an exception. */
        FAILED,
        /** {@link Leadership#close} was called. */
        CLOSED
    }
}
