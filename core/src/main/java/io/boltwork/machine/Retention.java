// SPDX-License-Identifier: Apache-2.0
package io.boltwork.machine;

import org.jspecify.annotations.Nullable;

/**
 * The retention of one lock. Belongs to the lock's machine, and {@link Retaining} changes it. Times are the
 * client's, in nanoseconds.
 */
final class Retention {

    /** The request whose lease is retained; {@code null} if there is none. */
    @Nullable
    Request request;

    /** The time at which its last owner has left. */
    long since;

    /** The largest first token of a hold that is wanted back. */
    long wantedUpTo;

    /** The time until which the lock is asked for as one that is not retained, because another client has wanted it. */
    long quietUntil = Long.MIN_VALUE;

    /** Returns whether nothing would be lost by forgetting this. */
    boolean isOver(long now) {
        return request == null && now >= quietUntil;
    }

    /** Returns when something changes; {@link Ticker#NEVER} if nothing will. */
    long wakeAt(long now) {
        Request retained = request;
        return retained != null ? since + retained.terms.retentionNanos : now < quietUntil ? quietUntil : Ticker.NEVER;
    }
}
