// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import io.boltwork.LockOptions;
import org.jspecify.annotations.Nullable;

/** Checks {@link Property#API} where the server must agree. {@link SimulatedUser} checks what the calls answer. */
final class ApiCheck extends SimulationCheck {

    ApiCheck(SimulationHistory history) {
        super(Property.API, history);
    }

    /** If a release reports no loss, the server must have had the hold, unless the release's answer was lost. */
    @Override
    void releaseReportedNoLoss(SimulatedClient client, ObservedLock lock, @Nullable ObservedHold hold) {
        require(
                plan.weather().isBad()
                        || hold == null
                        || client.isClosed()
                        || lock.data.hasGoneBack()
                        || !isReleaseAwaited(hold)
                        // it was released in time, and its lease ended before the release arrived
                        || client.clock() >= hold.hold.request.deadline()
                        || !lock.notHeld.contains(hold.hold.request.firstToken),
                () -> hold + " was not held at the server, and its release reports no loss");
    }

    static boolean isReleaseAwaited(ObservedHold hold) {
        return hold.hold.request.terms.options.release() == LockOptions.Release.AWAITED;
    }
}
