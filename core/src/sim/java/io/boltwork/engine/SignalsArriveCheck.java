// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Checks {@link Property#SIGNALS_ARRIVE}. */
final class SignalsArriveCheck extends SimulationCheck {

    /** Locks that two owners held at a time, because a server has lost data: a thread may have signalled too early. */
    private final Set<String> overlapped = new HashSet<>();

    SignalsArriveCheck(SimulationHistory history) {
        super(Property.SIGNALS_ARRIVE, history);
    }

    @Override
    void held(ObservedLock lock, ObservedHold hold, @Nullable ObservedHold other) {
        if (other != null && other != hold) {
            overlapped.add(lock.name);
        }
    }

    /** Called when all faults have been over for so long that each signal has arrived. */
    @Override
    void settled() {
        boolean isExact = plan.faults().stream().noneMatch(fault -> switch (fault.trouble()) {
            case CRASH, CLOSE, SUSPEND, CLONE, FORCE_RELEASE ->
                true; // a thread may die before it takes, or two may hold
            default -> false;
        });
        Map<String, SimulatedShop.Shelf> vain = simulation.shop.waitInVain();
        vain.values().removeIf(shelf -> overlapped.contains(shelf.lock()));
        require(!isExact || vain.isEmpty(), () -> "wait although there is something to take: " + vain);
    }
}
