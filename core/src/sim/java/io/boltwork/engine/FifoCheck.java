// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import io.boltwork.machine.LockMachine;
import io.boltwork.machine.request.Request;
import java.util.HashMap;
import java.util.Map;

/** Checks {@link Property#FIFO}. */
final class FifoCheck extends SimulationCheck {

    /** For each lock, the place of its last hold in the order of arrival. */
    private final Map<String, Integer> lastGranted = new HashMap<>();

    FifoCheck(SimulationHistory history) {
        super(Property.FIFO, history);
    }

    @Override
    void granted(ObservedLock lock, ObservedHold begun) {
        Request request = begun.hold.request;
        if (plan.hasConditions()) {
            return; // a request arrives in the queue by a signal, which its commands do not show
        }
        Integer arrival = history.arrival(request.id());
        int last = lastGranted.getOrDefault(lock.name, 0);
        if (plan.weather() == Plan.Weather.FAIR && !request.tryOnly) {
            require(
                    arrival != null && arrival > last,
                    () -> request + " arrived as number " + arrival + " and is granted after number " + last);
        }
        if (arrival != null) {
            lastGranted.put(lock.name, arrival);
        }
    }

    @Override
    void handedOver(ObservedLock lock, ObservedHold begun, LockMachine machine) {
        require(
                !machine.waiters.hasOwnRequests() && !begun.hold.request.terms.isFifo,
                () -> begun + " was handed over past a FIFO request");
    }
}
