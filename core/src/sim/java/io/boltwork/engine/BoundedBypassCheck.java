// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import io.boltwork.machine.LockMachine;
import io.boltwork.machine.request.Request;
import io.boltwork.spi.RequestId;
import java.util.HashMap;
import java.util.Map;

/** Checks {@link Property#BOUNDED_BYPASS}. */
final class BoundedBypassCheck extends SimulationCheck {

    /** Four of the longest round trips without faults, and a little more. */
    private static final long LONGEST_SLICE = 3 * Plan.MILLI;

    /** The most owners that may have the lock within {@link #LONGEST_TURNS}. */
    private static final int TURNS = 8;

    /** Half a second, by a clock that is at most a percent slower. */
    private static final long LONGEST_TURNS = 505 * Plan.MILLI;

    /** The time when the first hold of each request began, by the request's id. */
    private final Map<String, Long> firstHolds = new HashMap<>();

    BoundedBypassCheck(SimulationHistory history) {
        super(Property.BOUNDED_BYPASS, history);
    }

    @Override
    void handedOver(ObservedLock lock, ObservedHold begun, LockMachine machine) {
        Request request = begun.hold.request;
        ObservedHold first = lock.live.stream()
                .filter(hold -> hold.hold.request == request)
                .findFirst()
                .orElse(begun);
        long began = firstHolds.computeIfAbsent(request.id(), id -> first.since);
        if (plan.weather() == Plan.Weather.FAIR && !RequestId.isRetained(request.number)) { // see RetentionCheck
            long lasted = time.now() - began;
            require(
                    lasted < LONGEST_SLICE || begun.hold.token < request.firstToken + TURNS && lasted < LONGEST_TURNS,
                    () -> begun + " continues a hold that has been handed over since " + began / Plan.MICRO + " µs");
        }
    }
}
