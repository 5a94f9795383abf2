// SPDX-License-Identifier: Apache-2.0
package io.boltwork.machine.state;

import io.boltwork.machine.parts.Retaining;
import io.boltwork.machine.request.Request;
import io.boltwork.machine.request.Ticker;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The retention of one lock. Belongs to the lock's machine, and {@link Retaining} changes it. Times are the
 * client's, in nanoseconds.
 */
public final class Retention {

    /** A recall takes about a millisecond, so one in this time costs nothing that could be noticed. */
    private static final long LONGEST_QUIET = TimeUnit.SECONDS.toNanos(10);

    /** The request whose lease is retained; {@code null} if there is none. */
    @Nullable
    public Request request;

    /** The time at which its last owner has left. */
    public long since;

    /** The largest first token of a hold that is wanted back. */
    public long wantedUpTo;

    /** The time until which the lock is asked for as one that is not retained, because another client has wanted it. */
    long quietUntil = Long.MIN_VALUE;

    /** The length of the latest such time; 0 if there was none. */
    private long quiet;

    /** True if retention has saved a request since the latest recall: the lease was taken again. */
    private boolean hasPaid;

    /** Gives the retained lease to another owner of this client. */
    public void taken() {
        request = null;
        hasPaid = true;
    }

    /**
     * Ends the retention of the hold with that first token, because others want the lock. For the idle time, the lock
     * is then asked for as one that is not retained. That time doubles with each recall in a row that came before the
     * lease was taken again, so that a lock that two clients use in turn costs few recalls.
     */
    public void wanted(long token, long idle, long now) {
        if (token > wantedUpTo) {
            wantedUpTo = token;
            quiet = hasPaid ? idle : Math.max(idle, Math.min(2 * quiet, LONGEST_QUIET));
            hasPaid = false;
        }
        quietUntil = now + quiet;
    }

    /**
     * Returns whether nothing would be lost by forgetting this. A recall that follows soon after another one counts as
     * in a row.
     */
    boolean isOver(long now) {
        return request == null && now >= memoryEnds();
    }

    /** Returns when something changes; {@link Ticker#NEVER} if nothing will. */
    public long wakeAt(long now) {
        Request retained = request;
        return retained != null
                ? since + retained.terms.retentionNanos
                : now < memoryEnds() ? memoryEnds() : Ticker.NEVER;
    }

    private long memoryEnds() {
        return quietUntil + quiet;
    }
}
