package io.boltwork.machine;

/**
 * What is to be found out about a lease since the machine was suspended: whether the server still has it. Belongs to the lock's
 * machine. Times are the client's, in nanoseconds.
 */
final class MissedTime {

    /** By how much the lease ends earlier than its deadline says. */
    private long missed;

    /** Only what was sent after that answers the question. */
    private long askedAt;

    /** When no answer counts as an answer. */
    private long patienceEnds;

    /** The machine was suspended, perhaps once more. */
    void begin(long nanos, long now, long commandTimeout) {
        missed += nanos;
        askedAt = Ticker.NEVER;
        patienceEnds = now + commandTimeout;
    }

    /** The server is asked by what is sent at that time. */
    void asked(long at) {
        askedAt = Math.min(askedAt, at);
    }

    /** By how much the lease ends earlier than its deadline says. */
    long missed() {
        return missed;
    }

    /** Whether what was sent then answers the question. */
    boolean isAnsweredBy(long sent) {
        return sent >= askedAt;
    }

    /** Whether the lease may have ended. */
    boolean isDoubtful(long now, long deadline) {
        return now >= deadline - missed;
    }

    /** Whether there was no answer for so long that the lease counts as lost. */
    boolean isInVain(long now, long deadline) {
        return now >= patienceEnds && isDoubtful(now, deadline);
    }

    /** When to look again. */
    long lookAt(long now, long deadline) {
        return isDoubtful(now, deadline) ? patienceEnds : deadline - missed;
    }
}
