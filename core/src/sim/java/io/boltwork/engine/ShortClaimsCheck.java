// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import io.boltwork.spi.Command;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.QueryReply;
import io.boltwork.spi.Reply;
import io.boltwork.spi.RequestId;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Checks {@link Property#SHORT_CLAIMS}. */
final class ShortClaimsCheck extends SimulationCheck {

    private static final long LONGEST_TAKEOVER_MILLIS = 800;

    private final Map<String, Claims> claims = new HashMap<>();

    /** The claims of dead clients to one lock. */
    private static final class Claims {

        /** Dead clients that have had one short claim. */
        final Set<String> hadOneShort = new HashSet<>();

        /** Dead clients that must not be granted the lock any more. */
        final Set<String> hadAll = new HashSet<>();

        /** The last grant that was looked at. */
        ObservedLock.@Nullable Ownership lastGrant;

        /** The claim of a dead client, while it lasts. */
        ObservedLock.@Nullable Ownership ofDeadClient;

        /** The time until which claims must be short. */
        long shortUntil;
    }

    ShortClaimsCheck(SimulationHistory history) {
        super(Property.SHORT_CLAIMS, history);
        plan.locks().forEach(lock -> claims.put(lock, new Claims()));
    }

    @Override
    void executed(Command<?> command, Reply reply) {
        if (command instanceof Command.Acquire acquire && reply instanceof Reply.Acquired) {
            ownerMayBeNew(acquire.lock());
        } else if (command instanceof Command.Release release && reply instanceof Reply.Released) {
            ownerMayBeNew(release.lock());
        } else if (command instanceof Command.Withdraw withdraw) {
            ownerMayBeNew(withdraw.lock());
        }
    }

    private void ownerMayBeNew(String name) {
        ObservedLock lock = history.lock(name);
        Claims ofLock = claims.get(name);
        QueryReply.Inspected record = lock.data.look();
        ObservedLock.Ownership dead = ofLock.ofDeadClient;
        if (dead != null && record.token() != dead.token()) {
            lapsed(ofLock, dead);
        }
        ObservedLock.Ownership last = lock.grants.isEmpty() ? null : lock.grants.get(lock.grants.size() - 1);
        if (last == null || last.at() != time.now() || last.token() != record.token() || last == ofLock.lastGrant) {
            return;
        }
        ofLock.lastGrant = last;
        SimulatedClient client = record.owner() == null ? null : simulation.clientOf(record.owner());
        if (client != null && record.claim()) {
            claimed(lock, ofLock, last, client, record);
        }
    }

    /** If the claim of a dead client has lapsed, claims must be short from now on. */
    private void lapsed(Claims ofLock, ObservedLock.Ownership before) {
        ofLock.ofDeadClient = null;
        if (!before.isShort() && time.now() >= before.end()) {
            ofLock.shortUntil = time.now() + LockBackend.SHORT_CLAIMS_LAST_MILLIS * Plan.MILLI - Plan.SECOND;
        }
    }

    private void claimed(
            ObservedLock lock,
            Claims ofLock,
            ObservedLock.Ownership claim,
            SimulatedClient client,
            QueryReply.Inspected record) {
        require(
                history.cluster.isSubscribed(lock.name, RequestId.clientOf(record.owner())),
                () -> "the lock was granted to a client that does not listen: " + record);
        require(
                record.untilMillis() - record.server().millis() <= LockBackend.CLAIM_MILLIS + LONGEST_TAKEOVER_MILLIS,
                () -> "a grant that may not be taken up keeps the lock for long: " + record);
        if (client.isDead() && !client.hasArrivedLate()) {
            ofLock.ofDeadClient = claim;
            require(
                    !ofLock.hadAll.contains(client.id)
                            || plan.hasConditions() // each signal may find another thread of it
                            || history.hasForcedReleases() // its claim may have been taken away before it lapsed
                            || lock.data.losses(0, time.now()) > 0,
                    () -> "a dead client costs the others more than one claim or two short ones: " + record);
            if (!claim.isShort() || !ofLock.hadOneShort.add(client.id)) {
                ofLock.hadAll.add(client.id);
            }
        }
        require(
                claim.isShort() || time.now() >= ofLock.shortUntil || !keepsTime(lock),
                () -> "a claim is long although another one has just lapsed: " + record);
    }

    /** Returns whether the server has lost nothing that it knew, and its clock was not set. */
    private boolean keepsTime(ObservedLock lock) {
        return !history.hasForcedReleases()
                && !lock.data.hasGoneBack()
                && plan.cluster().servers() == 1
                && lock.data.losses(0, time.now()) == 0;
    }
}
