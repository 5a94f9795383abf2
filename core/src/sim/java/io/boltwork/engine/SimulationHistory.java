// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import io.boltwork.machine.request.Hold;
import io.boltwork.spi.Command;
import io.boltwork.spi.Grant;
import io.boltwork.spi.QueryReply;
import io.boltwork.spi.Reply;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Everything that was observed in a simulated run so far: calls, commands, grants, holds, faults. It decides nothing.
 * Each {@link SimulationCheck} reads it.
 */
final class SimulationHistory {

    final Simulation simulation;
    final VirtualTime time;
    final SimulatedCluster cluster;
    final Plan plan;
    private final Map<String, ObservedLock> locks = new HashMap<>();
    private final Set<PendingCall> pendingCalls = new LinkedHashSet<>();

    /** Requests whose lock was taken away by force. */
    private final Map<String, ForcedRelease> forced = new HashMap<>();

    /** The first tokens of grants that replicas have confirmed. */
    private final Set<Long> confirmed = new HashSet<>();

    /** Requests whose release was executed. */
    private final Set<String> released = new HashSet<>();

    /** The order in which requests first arrived at the server: numbers from 1 on. */
    private final Map<String, Integer> arrivals = new HashMap<>();

    private int lastArrival;

    /** The requests that were queued although their clients may not listen yet. */
    private final Set<String> onTrial = new HashSet<>();

    /** The server of the last fault that concerned a server; {@code null} if there was none. */
    private @Nullable SimulatedServer faultyServer;

    private int calls;
    int holds;
    int handovers;
    int losses;
    int failures;
    int restores;

    /** A call that waits for its answer. */
    record PendingCall(int number, SimulatedClient client, Plan.Act act) {}

    /** The first token of a hold that was taken away by force, and when. */
    record ForcedRelease(long firstToken, long at) {}

    SimulationHistory(Simulation simulation, VirtualTime time, SimulatedCluster cluster) {
        this.simulation = simulation;
        this.time = time;
        this.cluster = cluster;
        this.plan = simulation.plan;
        plan.locks().stream()
                .filter(lock -> !SharedName.isShared(lock))
                .forEach(lock -> locks.put(lock, new ObservedLock(cluster.lock(lock))));
    }

    ObservedLock lock(String name) {
        return locks.get(name);
    }

    Collection<ObservedLock> locks() {
        return locks.values();
    }

    // ================================================================ calls

    PendingCall callBegins(SimulatedClient client, Plan.Act act) {
        PendingCall call = new PendingCall(calls++, client, act);
        pendingCalls.add(call);
        return call;
    }

    void callEnds(PendingCall call) {
        pendingCalls.remove(call);
    }

    Set<PendingCall> pendingCalls() {
        return pendingCalls;
    }

    /** Returns whether a call of a living client waits for its answer. */
    boolean hasPendingCalls() {
        pendingCalls.removeIf(call -> call.client.isDead());
        return !pendingCalls.isEmpty();
    }

    /** Returns whether time could still change anything. */
    boolean hasPendingCallsOrHolds() {
        return hasPendingCalls() || locks.values().stream().anyMatch(lock -> !lock.live.isEmpty());
    }

    // ================================================================ commands and grants

    void executed(Command<?> command, Reply reply) {
        if (command instanceof Command.Acquire acquire && reply instanceof Reply.Acquired acquired) {
            arrived(acquire, acquired);
        } else if (command instanceof Command.Release release && reply instanceof Reply.Released answer) {
            if (release.next() != null && answer.next() != null) {
                arrived(release.next(), answer.next());
            }
            if (answer.outcome() == Reply.Release.NOT_HELD && !released.contains(release.request())) {
                lock(release.lock()).notHeld.add(release.firstToken());
            }
            released.add(release.request());
        } else if (command instanceof Command.Replicate replicate && reply instanceof Reply.Replicated replicated) {
            if (replicated.copies() >= replicate.copies()) {
                confirmed.add(replicate.item().firstToken());
            }
        } else if (command instanceof Command.Restore restore && reply instanceof Reply.Restored restored) {
            if (restored.outcome() == Reply.Renewal.OK) {
                restored(restore);
            }
        }
    }

    private void arrived(Command.Acquire acquire, Reply.Acquired answer) {
        // where the client does not listen yet, the request is sent as a try first; if that was granted, or queued
        // because the
        // lock is retained, it has arrived, too, but a queued one may be passed over and arrive again
        boolean waitsForSignal = answer.verdict() == Reply.Verdict.WAITING;
        boolean tried = answer.verdict() == Reply.Verdict.GRANTED || answer.verdict() == Reply.Verdict.QUEUED;
        if (answer.verdict() != Reply.Verdict.STALE && !waitsForSignal && (acquire.queue() || tried)) {
            boolean passedOver = onTrial.remove(acquire.request()) && !answer.known();
            if (passedOver || !arrivals.containsKey(acquire.request())) {
                arrivals.put(acquire.request(), ++lastArrival);
            }
            if (!acquire.queue() && answer.verdict() == Reply.Verdict.QUEUED) {
                onTrial.add(acquire.request());
            }
        }
        if (answer.verdict() == Reply.Verdict.GRANTED) {
            lock(acquire.lock()).grants.add(new ObservedLock.Ownership(acquire.request(), answer.token(), time.now()));
        }
    }

    private void restored(Command.Restore restore) {
        restores++;
        ObservedLock lock = lock(restore.lock());
        lock.grants.add(new ObservedLock.Ownership(restore.request(), restore.firstToken(), time.now()));
        ObservedHold hold = lock.byToken.get(restore.firstToken());
        // another client may have the token, if the server lost it and its clock was set back
        if (hold != null && hold.hold.request.id().equals(restore.request())) {
            hold.knownToServerSince = time.now();
        }
    }

    void published(Grant grant) {
        lock(grant.lock())
                .grants
                .add(new ObservedLock.Ownership(grant.request(), grant.token(), time.now(), grant.leaseMillis()));
    }

    /** Adds a grant whose message was lost: the client cannot know of the grant while the claim lasts. */
    void grantLost(Grant grant) {
        lock(grant.lock()).lostGrants.add(grant.token());
    }

    /** Returns the number of a request in the order of arrival; {@code null} if it has not arrived. */
    @Nullable
    Integer arrival(String request) {
        return arrivals.get(request);
    }

    boolean isConfirmedByReplicas(long firstToken) {
        return confirmed.contains(firstToken);
    }

    // ================================================================ holds

    ObservedHold begins(ObservedLock lock, SimulatedClient client, Hold hold) {
        long grantedAt = lock.grantedAt(hold.request.id(), hold.request.firstToken);
        ObservedHold begun = new ObservedHold(client, hold, time.now(), grantedAt);
        simulation.timeline.add(client.id, "holds", lock.name, "token", hold.token, hold.owner());
        holds++;
        lock.live.add(begun);
        lock.byToken.put(hold.token, begun);
        return begun;
    }

    // ================================================================ faults

    /**
     * Adds a forced release: an operator takes the lock away from its owner, and from holders that the server has
     * forgotten.
     */
    void forceRelease(String name) {
        ObservedLock lock = lock(name);
        lock.forcedAt = time.now();
        QueryReply.Inspected before = lock.data.look();
        if (before.owner() != null) {
            forced.put(before.owner(), new ForcedRelease(before.token(), time.now()));
        }
        for (ObservedHold hold : lock.live) {
            forced.putIfAbsent(hold.hold.request.id(), new ForcedRelease(hold.hold.request.firstToken, time.now()));
        }
        lock.newest = null;
    }

    /** Returns the forced release that concerned a request; {@code null} if there was none. */
    @Nullable
    ForcedRelease forcedRelease(String request) {
        return forced.get(request);
    }

    boolean isForced(ObservedHold hold) {
        return forced.containsKey(hold.hold.request.id());
    }

    boolean isForced(String request) {
        return forced.containsKey(request);
    }

    boolean hasForcedReleases() {
        return !forced.isEmpty();
    }

    /** Records a fault of a server, or of a connection to it. */
    void faultAt(SimulatedServer server) {
        faultyServer = server;
    }

    /** Returns whether there was no fault at all, or a single one, which concerned another server. */
    boolean isSpared(ObservedLock lock) {
        SimulatedServer faulty = faultyServer;
        return switch (plan.weather()) {
            case FAIR -> true;
            case ONE_FAULT -> faulty != null && faulty != lock.data.server();
            default -> false;
        };
    }
}
