// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import io.boltwork.LockException;
import io.boltwork.machine.LockMachine;
import io.boltwork.spi.Command;
import io.boltwork.spi.Reply;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Checks one {@link Property} of a simulated run. A subclass overrides the methods of the moments at which it looks,
 * reads the {@link SimulationHistory}, and keeps only what no other check needs. {@link SimulationChecks} lists all
 * checks.
 */
abstract class SimulationCheck {

    final SimulationHistory history;
    final Simulation simulation;
    final VirtualTime time;
    final Plan plan;
    private final Property property;

    /** The conditions that hold just now and must not last, and since when. */
    private final Map<String, Long> since = new HashMap<>();

    SimulationCheck(Property property, SimulationHistory history) {
        this.property = property;
        this.history = history;
        this.simulation = history.simulation;
        this.time = history.time;
        this.plan = history.plan;
    }

    /** @throws Violation if the condition is false */
    final void require(boolean condition, Supplier<String> violation) {
        simulation.require(condition, property, violation);
    }

    /**
     * Records whether a condition that must not last holds.
     *
     * @throws Violation if it has held at each call for longer than the bound
     */
    final void requireBrief(String condition, boolean holds, long bound) {
        if (!holds) {
            since.remove(condition);
        } else {
            long begin = since.computeIfAbsent(condition, c -> time.now());
            require(time.now() - begin <= bound, () -> condition + " for " + (time.now() - begin) / Plan.MILLI + " ms");
        }
    }

    /** Restarts the time for which a condition has held without a break. */
    final void interrupt(String condition) {
        since.remove(condition);
    }

    // ================================================================ commands and faults

    /** Called after a server has executed a command. */
    void executed(Command<?> command, Reply reply) {}

    /** Called before a fault happens to a client, or to its server or connections. */
    void faultAt(SimulatedClient client) {}

    // ================================================================ the beginning of a hold

    /** Called when a hold begins in a client. */
    void begins(ObservedLock lock, ObservedHold begun) {}

    /** Called after {@link #begins} if the server granted the hold, and its client knows of faults that concern it. */
    void granted(ObservedLock lock, ObservedHold begun) {}

    /** Called after {@link #begins} if the client handed the hold over, and knows of faults that concern it. */
    void handedOver(ObservedLock lock, ObservedHold begun, LockMachine machine) {}

    /**
     * Called after {@link #granted} or {@link #handedOver} if there was a hold before, the one with the largest token.
     */
    void follows(ObservedLock lock, ObservedHold begun, ObservedHold before) {}

    // ================================================================ after every event

    /** Called after every event for each valid hold, including those that were taken away by force. */
    void valid(ObservedHold hold) {}

    /** Called at the first event after which a hold is not valid, although its owner has not released it. */
    void ended(ObservedLock lock, ObservedHold hold) {}

    /**
     * Called after every event for each valid hold that was not taken away by force.
     *
     * @param other the last hold of the same lock for which this was called after the same event, if any
     */
    void held(ObservedLock lock, ObservedHold hold, @Nullable ObservedHold other) {}

    // ================================================================ what users see

    /** Called when a call with a bound has ended. */
    void callEnded(String call, long took, long bound) {}

    /** Called when a call has failed. */
    void failed(SimulatedClient client, Plan.@Nullable Act act, LockException failure) {}

    /** Called when a release has reported a loss; {@code wasValid} tells whether the hold was valid just before. */
    void releaseReportedLoss(
            SimulatedClient client,
            ObservedLock lock,
            @Nullable ObservedHold hold,
            boolean wasValid,
            Throwable failure) {}

    /** Called when a release has reported no loss. */
    void releaseReportedNoLoss(SimulatedClient client, ObservedLock lock, @Nullable ObservedHold hold) {}

    /** Called when a listener is told of a loss. */
    void listenerToldOfLoss(SimulatedClient client, ObservedLock lock, @Nullable ObservedHold hold) {}

    /** Called when a listener is told of a failed renewal. */
    void listenerToldOfFailedRenewal(SimulatedClient client, @Nullable ObservedHold hold) {}

    // ================================================================ regularly, and at the end

    /** Called for each lock every {@link SimulationChecks#PERIOD}. */
    void regularly(LockAtServer lock) {}

    /** Called every {@link SimulationChecks#PERIOD} after {@link #regularly(LockAtServer)} for all locks. */
    void regularly() {}

    /** Called when the faults have been over for a while, and threads may still wait for conditions. */
    void settled() {}

    /** Called when the faults have been over for so long that no call may wait any more. */
    void afterHealing() {}

    /** Called when the run has come to rest. */
    void atRest() {}
}
