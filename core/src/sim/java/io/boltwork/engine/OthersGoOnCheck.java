// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import io.boltwork.machine.request.LockTerms;
import io.boltwork.machine.request.Ticker;
import org.jspecify.annotations.Nullable;

/** Checks {@link Property#OTHERS_GO_ON}. */
final class OthersGoOnCheck extends SimulationCheck {

    /**
     * The ninths of a lease that are always left, within {@link #TOLERANCE}: it is renewed after a third, or a ninth
     * later.
     */
    private static final int NINTHS_LEFT = 5;

    private static final long TOLERANCE = 50 * Plan.MILLI;

    OthersGoOnCheck(SimulationHistory history) {
        super(Property.OTHERS_GO_ON, history);
    }

    @Override
    void held(ObservedLock lock, ObservedHold hold, @Nullable ObservedHold other) {
        LockTerms terms = hold.hold.request.terms;
        if (!terms.isRenewed || terms.maxHoldNanos != Ticker.NEVER || hold.hold.absence() != null) {
            return;
        }
        long lease = terms.leaseMillis * Plan.MILLI;
        long left = hold.hold.request.deadline() - hold.client.clock();
        hold.wasNearlyWhole |= left > lease - lease / 10;
        require(
                !hold.wasNearlyWhole
                        || left > lease / 9 * NINTHS_LEFT - TOLERANCE
                        || !history.isSpared(lock)
                        || hold.client.isClosed(),
                () -> hold + " is not renewed with " + left / Plan.MICRO + " µs left");
    }

    @Override
    void ended(ObservedLock lock, ObservedHold hold) {
        if (plan.weather() != Plan.Weather.FAIR) {
            require(
                    !NoFalseLossCheck.isLostThoughSpared(history, lock, hold),
                    () -> hold + " was lost without a fault of its server");
        }
    }
}
