// SPDX-License-Identifier: Apache-2.0
package io.boltwork.machine;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The retention of one lock. Belongs to the lock's machine, and {@link Retaining} changes it. Times are the
 * client's, in nanoseconds.
 */
final class Retention {

    /** Recalls that are rarer than this cost nothing that could be noticed. */
    private static final long LONGEST_QUIET = TimeUnit.SECONDS.toNanos(10);

    /** The request whose lease is retained; {@code null} if there is none. */
    @Nullable
    Request request;

    /** The time at which its last owner has left. */
    long since;

    /** The largest first token of a hold that is wanted back. */
    long wantedUpTo;

    /** The time until which the lock is asked for as one that is not retained, because another client has wanted it. */
    long quietUntil = Long.MIN_VALUE;

    /** How long that time was, the last time. */
    private long quiet;

    /** Whether the lease has saved a request since the last recall: it was retained, and taken again. */
    private boolean hasPaid;

    /** Notes that the retained lease has another owner of this client. */
    void taken() {
        request = null;
        hasPaid = true;
    }

    /**
     * Notes that others want the lock back from the hold of that first token. For the idle time, the lock is then asked for as
     * one that is not retained. That time doubles with each recall in a row that came before the lease was taken again, so that
     * a lock that two clients use in turn costs few recalls.
     */
    void wanted(long token, long idle, long now) {
        if (token > wantedUpTo) {
            wantedUpTo = token;
            quiet = hasPaid ? idle : Math.max(idle, Math.min(2 * quiet, LONGEST_QUIET));
            hasPaid = false;
        }
        quietUntil = now + quiet;
    }

    /** Returns whether nothing would be lost by forgetting this: it is also known whether the next recall follows soon. */
    boolean isOver(long now) {
        return request == null && now >= memoryEnds();
    }

    /** Returns when something changes; {@link Ticker#NEVER} if nothing will. */
    long wakeAt(long now) {
        Request retained = request;
        return retained != null
                ? since + retained.terms.retentionNanos
                : now < memoryEnds() ? memoryEnds() : Ticker.NEVER;
    }

    private long memoryEnds() {
        return quietUntil + quiet;
    }
}
