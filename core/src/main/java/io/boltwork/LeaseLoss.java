// SPDX-License-Identifier: Apache-2.0
package io.boltwork;

import io.boltwork.spi.Printable;
import java.time.Instant;

/**
 * The loss of a hold, which ended without a release by its holder.
 *
 * @param lockName the name of the lock
 * @param fencingToken the token of the lost hold
 * @param reason the reason for the loss
 * @param when the time at which this client learned of the loss, by its own wall clock; the lease may have ended
 *     earlier
 * @since 0.1.0
 */
public record LeaseLoss(String lockName, long fencingToken, Reason reason, Instant when) {

    /** The reason why a lease ended before its holder released it. */
    public enum Reason {
        /** The deadline passed: a fixed lease ran out, or no renewal was answered in time. */
        EXPIRED,
        /**
         * The backend reports that this holder no longer owns the lock: it has been held by another owner since, or it
         * was released by force.
         */
        TAKEN,
        /** The hold has lasted as long as its options allow: {@link LockOptions#withMaxHold}. */
        MAX_HOLD,
        /**
         * This JVM was restored from a snapshot, or another JVM was restored from a snapshot of this one. Two JVMs had
         * the same client id, and both may hold the lock.
         */
        CLONED,
        /**
         * The thread that held the lock waited for a {@linkplain FencedLock#condition condition}, and could not get the
         * lock back.
         */
        NOT_REGAINED,
        /** The {@link LockClient} was closed while the lock was held. */
        CLOSED
    }

    @Override
    public String toString() {
        return Printable.text("LeaseLoss[lockName=" + lockName + ", fencingToken=" + fencingToken + ", reason=" + reason
                + ", when=" + when + "]");
    }
}
