// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import java.util.HashMap;
import java.util.Map;

/** Checks {@link Property#CALLS_END}. */
final class CallsEndCheck extends SimulationCheck {

    /** A waiter learns of an outage when the connection is lost, and its client's clock may be slow. */
    static final long OUTAGE_NOTICED = 500 * Plan.MILLI;

    /** For each call, on which connection, or after which one, it was last seen to wait. */
    private final Map<SimulationHistory.PendingCall, String> connections = new HashMap<>();

    CallsEndCheck(SimulationHistory history) {
        super(Property.CALLS_END, history);
    }

    @Override
    void callEnded(String call, long took, long bound) {
        require(
                took <= bound,
                () -> call + " took " + took / Plan.MICRO + " µs, its bound is " + bound / Plan.MICRO + " µs");
    }

    @Override
    void regularly() {
        for (SimulationHistory.PendingCall call : history.pendingCalls()) {
            SimulatedClient client = call.client();
            String lock = call.act().lock();
            String waits = call + " waits through an outage";
            String connection = client.backend.connection(lock);
            if (!connection.equals(connections.put(call, connection))) {
                // another outage began: the lock was at another server meanwhile, or the connection was back
                interrupt(waits);
            }
            requireBrief(
                    waits,
                    !client.isDead()
                            && client.machine(lock) != null
                            && call.act().kind().isPatient()
                            && !client.holds(lock)
                            && client.isAwake()
                            && !client.backend.isUp(lock),
                    plan.outagePatience().toNanos() + OUTAGE_NOTICED);
        }
    }
}
