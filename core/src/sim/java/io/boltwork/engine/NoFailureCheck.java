// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import io.boltwork.LockException;
import org.jspecify.annotations.Nullable;

/** Checks {@link Property#NO_FAILURE}. */
final class NoFailureCheck extends SimulationCheck {

    /** An outage patience of more seconds outlasts a single fault. */
    private static final long ONE_FAULT_SECONDS = 5;

    NoFailureCheck(SimulationHistory history) {
        super(Property.NO_FAILURE, history);
    }

    @Override
    void failed(SimulatedClient client, Plan.@Nullable Act act, LockException failure) {
        require(
                plan.weather() != Plan.Weather.FAIR || client.isClosed(),
                () -> "a call failed without a fault: " + failure);
        boolean patient =
                act != null && act.kind().isPatient() && plan.outagePatience().toSeconds() > ONE_FAULT_SECONDS;
        require(
                !patient || plan.weather().isBad() || client.isClosed(),
                () -> "a single fault of a few seconds made " + act + " fail: " + failure);
    }
}
