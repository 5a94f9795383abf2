// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import io.boltwork.spi.QueryReply;

/** Checks {@link Property#FORCE_IS_FINAL}. */
final class ForceIsFinalCheck extends SimulationCheck {

    ForceIsFinalCheck(SimulationHistory history) {
        super(Property.FORCE_IS_FINAL, history);
    }

    @Override
    void regularly(LockAtServer lock) {
        QueryReply.Inspected record = lock.record();
        SimulationHistory.ForcedRelease forced = record.owner() == null ? null : history.forcedRelease(record.owner());
        SimulatedLock data = lock.history().data;
        require(
                forced == null
                        || data.hasGoneBack()
                        || forced.firstToken() != record.token()
                        || data.losses(forced.at(), time.now()) > 0,
                () -> "a hold that was taken away by force is back: " + record);
    }
}
