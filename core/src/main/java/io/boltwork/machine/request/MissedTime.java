// SPDX-License-Identifier: Apache-2.0
package io.boltwork.machine.request;

/**
 * The examination of a lease after the machine was suspended: whether the server still has it. Belongs to the lock's
 * machine. Times are the client's, in nanoseconds.
 */
public final class MissedTime {

    /** The time by which the lease may end before its deadline. */
    private long missed;

    /** The answers to commands that were sent before this time do not count. */
    private long askedAt;

    /** The time when a missing answer counts as a loss. */
    private long patienceEnds;

    /** Begins the examination, or begins it anew. */
    void beginExamination(long nanos, long now, long commandTimeout) {
        missed += nanos;
        askedAt = Ticker.NEVER;
        patienceEnds = now + commandTimeout;
    }

    /** Keeps the earliest time at which a command was sent that asks the server about the lease. */
    void asked(long at) {
        askedAt = Math.min(askedAt, at);
    }

    /** Returns by how much the lease may end earlier than its deadline. */
    public long missed() {
        return missed;
    }

    /** Returns whether the answer to a command that was sent then counts. */
    public boolean isAnsweredBy(long sent) {
        return sent >= askedAt;
    }

    /** Returns whether the lease may have ended. */
    public boolean isDoubtful(long now, long deadline) {
        return now >= deadline - missed;
    }

    /** Returns whether the answer has been missing for so long that the lease counts as lost. */
    public boolean isInVain(long now, long deadline) {
        return now >= patienceEnds && isDoubtful(now, deadline);
    }

    /** Returns when to check again. */
    long lookAt(long now, long deadline) {
        return isDoubtful(now, deadline) ? patienceEnds : deadline - missed;
    }
}
