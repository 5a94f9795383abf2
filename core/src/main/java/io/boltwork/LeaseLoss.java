package io.boltwork;

import io.boltwork.spi.Printable;
import java.time.Instant;

/**
 * How a hold ended against the will of its holder.
 *
 * @param lockName the lock's name
 * @param fencingToken the token of the hold that was lost
 * @param reason what ended it
 * @param when when this client knew, by its own wall clock; the lease may have ended earlier
 */
public record LeaseLoss(String lockName, long fencingToken, Reason reason, Instant when) {

    /** What ended a lease before its holder released it. */
    public enum Reason {
        /** The deadline passed: a fixed lease ran out, or no renewal was answered in time. */
        EXPIRED,
        /** The backend says that the lock is not this holder's any more: somebody else has held it since, or it was released by force. */
        TAKEN,
        /** The hold has lasted as long as its options allow: {@link LockOptions#withMaxHold}. */
        MAX_HOLD,
        /**
         * This JVM was restored from a snapshot, or another JVM was restored from a snapshot of this one: two had one client id,
         * and the lock may be held by both.
         */
        CLONED,
        /** The {@link LockClient} was closed while the lock was held. */
        CLOSED
    }

    @Override
    public String toString() {
        return Printable.text("LeaseLoss[lockName=" + lockName + ", fencingToken=" + fencingToken + ", reason=" + reason
                + ", when=" + when + "]");
    }
}
