// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

/** Checks {@link Property#SERVED}. */
final class ServedCheck extends SimulationCheck {

    ServedCheck(SimulationHistory history) {
        super(Property.SERVED, history);
    }

    @Override
    void afterHealing() {
        require(!history.hasPendingCalls(), () -> "calls never ended: " + history.pendingCalls());
    }
}
