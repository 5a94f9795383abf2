// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

/** Checks {@link Property#REPLICATED}. */
final class ReplicatedCheck extends SimulationCheck {

    ReplicatedCheck(SimulationHistory history) {
        super(Property.REPLICATED, history);
    }

    @Override
    void begins(ObservedLock lock, ObservedHold begun) {
        require(
                begun.hold.request.terms.options.replication().isEmpty()
                        || history.isConfirmedByReplicas(begun.hold.token),
                () -> begun + " begins before a replica knows of it");
    }
}
