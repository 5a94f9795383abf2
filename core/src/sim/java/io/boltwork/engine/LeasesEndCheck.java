// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import org.jspecify.annotations.Nullable;

/** Checks {@link Property#LEASES_END}. */
final class LeasesEndCheck extends SimulationCheck {

    LeasesEndCheck(SimulationHistory history) {
        super(Property.LEASES_END, history);
    }

    @Override
    void begins(ObservedLock lock, ObservedHold begun) {
        require(begun.hold.isValid() || begun.hold.isOver(), () -> begun + " begins after its lease has ended");
    }

    @Override
    void valid(ObservedHold hold) {
        require(!hold.ended, () -> hold + " is valid again after its lease had ended");
    }

    @Override
    void held(ObservedLock lock, ObservedHold hold, @Nullable ObservedHold other) {
        require(
                hold.client.clock() - hold.hold.since <= hold.hold.request.terms.maxHoldNanos,
                () -> hold + " lasts longer than its maximum hold time");
    }
}
