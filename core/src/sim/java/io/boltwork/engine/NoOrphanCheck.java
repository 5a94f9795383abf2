// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import io.boltwork.spi.QueryReply;

/** Checks {@link Property#NO_ORPHAN}. */
final class NoOrphanCheck extends SimulationCheck {

    /** A late acquire may be executed until its not-after, and the withdrawal after that may be slow and repeated. */
    private static final long LONGEST = 2_500 * Plan.MILLI;

    private static final long LONGEST_AFTER_ONE_FAULT = Plan.SECOND;

    NoOrphanCheck(SimulationHistory history) {
        super(Property.NO_ORPHAN, history);
    }

    @Override
    void regularly(LockAtServer lock) {
        QueryReply.Inspected record = lock.record();
        ObservedLock ofLock = lock.history();
        SimulatedClient owner = lock.owner();
        boolean undone = ofLock.data.hasFailedOverSince(0); // a withdrawal that the new master does not know
        boolean unheard = (lock.closed() || undone) && record.claim() && ofLock.lostGrants.contains(record.token());
        requireBrief(
                ofLock.name + " has the owner " + record.owner() + ", a request that its client has finished",
                owner != null
                        && owner.isAtHome(ofLock.name)
                        && !owner.knows(ofLock.name, record.owner())
                        && owner.isCurrent(record.owner()) // else another client may have the id, and nothing is sent
                        && !unheard // such a claim lapses, and a poll or nudge of another client ends it then
                        && ofLock.data.behind()
                                < SimulationChecks.PERIOD, // else a not-after may come late, and a lease last longer
                plan.weather().isBad() ? LONGEST : LONGEST_AFTER_ONE_FAULT);
    }
}
