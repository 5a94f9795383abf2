// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import io.boltwork.machine.LockMachine;
import io.boltwork.machine.request.LockTerms;
import io.boltwork.machine.request.Request;

/** Checks {@link Property#BOUNDS_KEPT}. */
final class BoundsKeptCheck extends SimulationCheck {

    /** The part of a time by which clocks may differ. */
    private static final int DRIFT_PART = 100;

    BoundsKeptCheck(SimulationHistory history) {
        super(Property.BOUNDS_KEPT, history);
    }

    @Override
    void handedOver(ObservedLock lock, ObservedHold begun, LockMachine machine) {
        Request request = begun.hold.request;
        require(
                request.terms.minHoldNanos == 0 && !request.extended && request.terms.isRenewed,
                () -> begun + " was handed over");
    }

    @Override
    void follows(ObservedLock lock, ObservedHold begun, ObservedHold before) {
        if (before.hold.request == begun.hold.request
                || lock.data.losses(begun.grantedAt, time.now()) > 0
                || lock.data.losses(before.grantedAt, time.now()) > 0) {
            return;
        }
        LockTerms terms = before.hold.request.terms;
        long kept = terms.minHoldNanos - terms.minHoldNanos / DRIFT_PART;
        long end = before.client.realTime(before.hold.request.deadline());
        require(
                begun.since - before.since >= kept || !terms.isRenewed && begun.since >= end,
                () -> before + " is followed by " + begun + " within its minimum hold time");
        if (before.ended
                && !before.client.isClosed()
                && !before.client.wasSuspendedSince(before.since)
                && terms.takeoverMillis > 0) {
            long quiet = terms.takeoverMillis * Plan.MILLI;
            require(
                    begun.since - end >= quiet - quiet / DRIFT_PART,
                    () -> before + " is followed by " + begun + " within its takeover delay");
        }
    }
}
