// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import io.boltwork.LeaseLoss;
import io.boltwork.machine.request.LockTerms;
import io.boltwork.machine.request.Request;
import io.boltwork.machine.request.Ticker;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Checks {@link Property#TOLD_IN_TIME}. */
final class ToldInTimeCheck extends SimulationCheck {

    /** A lost renewal is repeated after the command timeout, and its answer may be late as well. */
    private static final long RENEWAL_SLOW = 2 * Plan.SECOND;

    /** With a good network no verification is lost. The bound is small because a third of a fixed lease may be, too. */
    private static final long VERIFICATION_SLOW = 300 * Plan.MILLI;

    /** Fixed leases are verified as often as leases of this length are renewed. */
    private static final long VERIFIED_AS_MILLIS = 30_000;

    /** The requests of which a failed renewal was told. */
    private final Set<Request> failed = Collections.newSetFromMap(new IdentityHashMap<>());

    /** The holds of which the loss was told. */
    private final Set<ObservedHold> lost = new HashSet<>();

    ToldInTimeCheck(SimulationHistory history) {
        super(Property.TOLD_IN_TIME, history);
    }

    @Override
    void listenerToldOfFailedRenewal(SimulatedClient client, @Nullable ObservedHold hold) {
        if (hold != null && hold.client == client) { // servers that have lost data may give two holds the same token
            require(!lost.contains(hold), () -> hold + " is lost, and then a listener is told of a failed renewal");
            failed.add(hold.hold.request);
        }
    }

    @Override
    void listenerToldOfLoss(SimulatedClient client, ObservedLock lock, @Nullable ObservedHold hold) {
        LeaseLoss loss = hold == null || hold.client != client ? null : hold.hold.loss();
        if (loss != null) {
            lost.add(hold);
            Request request = hold.hold.request;
            require(
                    loss.reason() != LeaseLoss.Reason.EXPIRED
                            || !request.terms.isRenewed
                            || request.terms.maxHoldNanos != Ticker.NEVER // the lease may be that short
                            || !request.confirmed // a claim may end before the patience of its first renewal
                            || time.now() - hold.since
                                    < client.backend.commandTimeout().toNanos() // so may a late grant
                            || hold.hold.absence() != null
                            || client.paused() > 0 // perhaps nothing was sent
                            || failed.contains(request),
                    () -> hold + " has ended, and no listener was told of a failed renewal");
        }
    }

    @Override
    void regularly(LockAtServer lock) {
        for (ObservedHold hold : lock.history().live) {
            LockTerms terms = hold.hold.request.terms;
            long visit = Math.min(terms.leaseMillis, VERIFIED_AS_MILLIS) * Plan.MILLI * 4 / 9;
            boolean another = lock.owner() != null
                    && !hold.hold.request.id().equals(lock.record().owner());
            requireBrief(
                    hold + " is valid although another request is the owner",
                    hold.client.isWell(lock.history().name)
                            && hold.hold.isValid()
                            && hold.hold.absence() == null // else there is no thread to be told
                            && another,
                    visit + (terms.isRenewed || plan.weather().isBad() ? RENEWAL_SLOW : VERIFICATION_SLOW));
        }
    }

    @Override
    void regularly() {
        for (ObservedLock lock : history.locks()) {
            for (ObservedHold hold : lock.live) {
                requireBrief(
                        hold + " is neither valid nor lost",
                        hold.client.isAwake() && hold.hold.isUnverified() && !hold.hold.isOver(),
                        hold.client.backend.commandTimeout().toNanos() + CallsEndCheck.OUTAGE_NOTICED);
            }
        }
    }
}
