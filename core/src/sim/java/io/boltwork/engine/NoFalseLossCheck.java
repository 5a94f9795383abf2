// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import io.boltwork.LeaseLoss;
import io.boltwork.LeaseLostException;
import io.boltwork.machine.request.LockTerms;
import io.boltwork.machine.request.Ticker;
import org.jspecify.annotations.Nullable;

/** Checks {@link Property#NO_FALSE_LOSS}. */
final class NoFalseLossCheck extends SimulationCheck {

    NoFalseLossCheck(SimulationHistory history) {
        super(Property.NO_FALSE_LOSS, history);
    }

    @Override
    void releaseReportedLoss(
            SimulatedClient client,
            ObservedLock lock,
            @Nullable ObservedHold hold,
            boolean wasValid,
            Throwable failure) {
        require(
                !wasValid
                        || hold == null
                        || history.isForced(hold)
                        || client.mayNotKnowOfSuspension()
                        || isClone(failure)
                        || lock.data.hasGoneBack() // if data were lost as well, two holds may have the same token
                        || lock.data.losses(hold.grantedAt, time.now()) > 0,
                () -> hold + " was valid, and its release reports a loss");
    }

    @Override
    void listenerToldOfLoss(SimulatedClient client, ObservedLock lock, @Nullable ObservedHold hold) {
        require(
                hold == null
                        || hold.client != client // servers that have lost data may give two holds the same token
                        || !hold.releasedCleanly
                        || client.isClosed()
                        || lock.data.hasGoneBack()
                        || !ApiCheck.isReleaseAwaited(hold) && lock.notHeld.contains(hold.hold.request.firstToken),
                () -> hold + " was released cleanly, and then a listener is told of its loss");
    }

    @Override
    void ended(ObservedLock lock, ObservedHold hold) {
        LeaseLoss loss = hold.hold.loss();
        boolean taken = loss != null && loss.reason() == LeaseLoss.Reason.TAKEN;
        require(
                !taken
                        || lock.data.hasGoneBack()
                        || history.isForced(hold)
                        || lock.forcedAt >= hold.grantedAt // the server may have forgotten the owner
                        || lock.wasGrantedToAnother(hold)
                        || lock.data.hasFailedOverSince(hold.grantedAt)
                        || lock.data.hasLostTimeSince(hold.grantedAt),
                () -> hold + " was lost as taken, although no other client took it");
        if (plan.weather() == Plan.Weather.FAIR) {
            require(!isLostThoughSpared(history, lock, hold), () -> hold + " was lost without a fault");
        }
    }

    private static boolean isClone(Throwable failure) {
        return failure instanceof LeaseLostException lost && lost.loss().reason() == LeaseLoss.Reason.CLONED;
    }

    /** Returns whether a renewed hold of an open client has ended although its server had no fault. */
    static boolean isLostThoughSpared(SimulationHistory history, ObservedLock lock, ObservedHold hold) {
        LockTerms terms = hold.hold.request.terms;
        return history.isSpared(lock)
                && terms.isRenewed
                && terms.maxHoldNanos == Ticker.NEVER
                && !hold.client.isClosed()
                && hold.hold.absence() == null;
    }
}
