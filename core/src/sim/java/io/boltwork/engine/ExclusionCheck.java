// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import org.jspecify.annotations.Nullable;

/**
 * Checks {@link Property#EXCLUSION}. Two valid holders are allowed only if the server lost the data of the older hold,
 * for no longer than a lease, and with tokens that tell which hold is newer.
 */
final class ExclusionCheck extends SimulationCheck {

    /** An extension may be longer than the lease. */
    private static final long LONGEST_EXTENSION = 2 * Plan.SECOND;

    ExclusionCheck(SimulationHistory history) {
        super(Property.EXCLUSION, history);
    }

    @Override
    void held(ObservedLock lock, ObservedHold hold, @Nullable ObservedHold other) {
        if (other != null) {
            boolean inOrder = other.grantedAt <= hold.grantedAt; // the client may learn of a grant late
            together(lock, inOrder ? other : hold, inOrder ? hold : other);
        }
    }

    private void together(ObservedLock lock, ObservedHold older, ObservedHold newer) {
        // a clock that was set back gives time to a claim that has lapsed, if its lapse was lost
        boolean hasComeBack = lock.data.hasGoneBack() && lock.data.losses(newer.grantedAt, time.now()) > 0;
        require(
                lock.data.losses(older.grantedAt, newer.grantedAt, older.hold.request.firstToken) > 0 || hasComeBack,
                () -> "the lock " + lock.name + " is held by " + older + " and by " + newer);
        require(
                lock.data.hasGoneBack()
                        || older.hold.token < newer.hold.token
                        || lock.data.wasLostAhead(older.hold.token, older.grantedAt),
                () -> "tokens do not tell which hold is newer: " + older + ", " + newer);
        long lease = Math.max(older.hold.request.terms.leaseMillis * Plan.MILLI, LONGEST_EXTENSION);
        require(
                time.now() - Math.max(newer.grantedAt, older.since) < lease,
                () -> older + " is valid long after " + newer + " began");
    }
}
