// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import io.boltwork.LockException;
import io.boltwork.machine.LockMachine;
import io.boltwork.machine.request.Hold;
import io.boltwork.spi.Command;
import io.boltwork.spi.Grant;
import io.boltwork.spi.Reply;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * All checks of a simulated run. Each event is noted in the {@link SimulationHistory} and then passed to each check;
 * the first {@link Property} that does not hold ends the run.
 */
final class SimulationChecks {

    /** The interval of calls of {@link SimulationCheck#regularly()}. */
    static final long PERIOD = 50 * Plan.MILLI;

    /** In this order they look at the same moment. */
    private static final List<Function<SimulationHistory, SimulationCheck>> ALL = List.of(
            TokensGrowCheck::new,
            ReplicatedCheck::new,
            LeasesEndCheck::new,
            FifoCheck::new,
            BoundsKeptCheck::new,
            BoundedBypassCheck::new,
            NoFalseLossCheck::new,
            OthersGoOnCheck::new,
            ExclusionCheck::new,
            LeaseAtServerCheck::new,
            RestoredAloneCheck::new,
            ShortClaimsCheck::new,
            ForceIsFinalCheck::new,
            NoOrphanCheck::new,
            NotIdleCheck::new,
            ToldInTimeCheck::new,
            CallsEndCheck::new,
            NoFailureCheck::new,
            ApiCheck::new,
            SignalsArriveCheck::new,
            RetentionCheck::new,
            ServedCheck::new,
            NothingLeftCheck::new);

    private final Simulation simulation;
    private final SimulationHistory history;
    private final SimulationCheck[] checks;
    private final SharedChecks shared;

    SimulationChecks(Simulation simulation, SimulationHistory history) {
        this.simulation = simulation;
        this.history = history;
        this.shared = new SharedChecks(simulation);
        this.checks = ALL.stream().map(check -> check.apply(history)).toArray(SimulationCheck[]::new);
        simulation.cluster.watch(this::executed, this::published);
    }

    // ================================================================ commands and faults

    private void executed(Command<?> command, Reply reply) {
        if (command.locks().stream().anyMatch(SharedName::isShared)) {
            shared.executed(command, reply);
            return;
        }
        history.executed(command, reply);
        for (SimulationCheck check : checks) {
            check.executed(command, reply);
        }
    }

    private void published(Grant grant) {
        if (SharedName.isShared(grant.lock())) {
            shared.published(grant);
        } else {
            history.published(grant);
        }
    }

    /** Passes on a grant whose message was lost. */
    void grantLost(Grant grant) {
        if (SharedName.isShared(grant.lock())) {
            shared.grantLost(grant);
        } else {
            history.grantLost(grant);
        }
    }

    void faultAt(SimulatedClient client) {
        for (SimulationCheck check : checks) {
            check.faultAt(client);
        }
    }

    // ================================================================ after every event

    void afterEvent(List<SimulatedClient> clients) {
        shared.afterEvent(clients);
        for (ObservedLock lock : history.locks()) {
            for (SimulatedClient client : clients) {
                if (!client.isDead()) {
                    LockMachine machine = client.machine(lock.name);
                    Hold hold = machine == null ? null : machine.hold();
                    if (hold != lock.current.put(client.id, hold) && hold != null) {
                        begins(lock, client, Objects.requireNonNull(machine), hold);
                    }
                }
            }
            afterEvent(lock);
        }
    }

    private void begins(ObservedLock lock, SimulatedClient client, LockMachine machine, Hold hold) {
        ObservedHold begun = history.begins(lock, client, hold);
        for (SimulationCheck check : checks) {
            check.begins(lock, begun);
        }
        if (history.isForced(begun) || client.mayNotKnowOfSuspension()) {
            return; // its client does not know yet
        }
        boolean granted = hold.token == hold.request.firstToken;
        history.handovers += granted ? 0 : 1;
        for (SimulationCheck check : checks) {
            if (granted) {
                check.granted(lock, begun);
            } else {
                check.handedOver(lock, begun, machine);
            }
        }
        ObservedHold before = lock.newest;
        if (before != null) {
            for (SimulationCheck check : checks) {
                check.follows(lock, begun, before);
            }
            if (hold.token < before.hold.token) {
                return;
            }
        }
        lock.newest = begun;
    }

    private void afterEvent(ObservedLock lock) {
        lock.live.removeIf(hold -> hold.hold.isOver() || hold.client.isDead());
        ObservedHold other = null;
        for (ObservedHold hold : lock.live) {
            boolean valid = hold.hold.isValid() && !hold.client.mayNotKnowOfSuspension();
            if (valid) {
                for (SimulationCheck check : checks) {
                    check.valid(hold);
                }
                if (!history.isForced(hold)) {
                    for (SimulationCheck check : checks) {
                        check.held(lock, hold, other);
                    }
                    other = hold;
                }
            } else if (!hold.ended && !hold.hold.isValid() && !hold.hold.isUnverified()) {
                // otherwise it was suspended: the client notices that within a second, and then asks the server
                hold.ended = true;
                for (SimulationCheck check : checks) {
                    check.ended(lock, hold);
                }
            }
        }
    }

    // ================================================================ what users see

    /** Passes on the use of a hold. */
    void used(SimulatedClient client, String name, Hold hold) {
        if (SharedName.isShared(name)) {
            shared.used(client, name, hold);
        }
    }

    void callEnded(String call, long took, long bound) {
        for (SimulationCheck check : checks) {
            check.callEnded(call, took, bound);
        }
    }

    void failed(SimulatedClient client, Plan.@Nullable Act act, LockException failure) {
        history.failures++;
        for (SimulationCheck check : checks) {
            check.failed(client, act, failure);
        }
    }

    void releaseReportedLoss(SimulatedClient client, String name, long token, boolean wasValid, Throwable failure) {
        history.losses++;
        if (SharedName.isShared(name)) {
            shared.releaseReportedLoss(client, name, wasValid, failure);
            return;
        }
        ObservedLock lock = history.lock(name);
        ObservedHold hold = lock.byToken.get(token);
        for (SimulationCheck check : checks) {
            check.releaseReportedLoss(client, lock, hold, wasValid, failure);
        }
    }

    void releaseReportedNoLoss(SimulatedClient client, String name, long token) {
        if (SharedName.isShared(name)) {
            return;
        }
        ObservedLock lock = history.lock(name);
        ObservedHold hold = lock.byToken.get(token);
        if (hold != null) {
            hold.releasedCleanly = true;
        }
        for (SimulationCheck check : checks) {
            check.releaseReportedNoLoss(client, lock, hold);
        }
    }

    void listenerToldOfLoss(SimulatedClient client, String name, long token) {
        if (SharedName.isShared(name)) {
            return;
        }
        ObservedLock lock = history.lock(name);
        ObservedHold hold = lock.byToken.get(token);
        for (SimulationCheck check : checks) {
            check.listenerToldOfLoss(client, lock, hold);
        }
    }

    void listenerToldOfFailedRenewal(SimulatedClient client, String name, long token) {
        if (SharedName.isShared(name)) {
            return;
        }
        ObservedLock lock = history.lock(name);
        ObservedHold hold = lock.byToken.get(token);
        for (SimulationCheck check : checks) {
            check.listenerToldOfFailedRenewal(client, hold);
        }
    }

    // ================================================================ regularly, and at the end

    /** Passes on that an operator takes a shared lock away from its holders. */
    void forceRelease(String name) {
        shared.forceRelease(name);
    }

    /** Looks at the same of shared locks only, now. */
    void lookAtShares() {
        shared.regularly();
    }

    boolean hasSharedHolds() {
        return shared.hasHolds();
    }

    /** Looks at what may last for a short time only, now and every {@link #PERIOD}. */
    void regularly() {
        shared.regularly();
        for (ObservedLock lock : history.locks()) {
            LockAtServer now = LockAtServer.now(simulation, lock);
            for (SimulationCheck check : checks) {
                check.regularly(now);
            }
        }
        for (SimulationCheck check : checks) {
            check.regularly();
        }
        simulation.time.after(PERIOD, this::regularly);
    }

    void settled() {
        for (SimulationCheck check : checks) {
            check.settled();
        }
    }

    void afterHealing() {
        for (SimulationCheck check : checks) {
            check.afterHealing();
        }
    }

    void atRest() {
        for (SimulationCheck check : checks) {
            check.atRest();
        }
    }
}
