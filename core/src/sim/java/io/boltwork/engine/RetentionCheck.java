// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import io.boltwork.machine.LockMachine;
import io.boltwork.machine.request.Request;
import io.boltwork.spi.QueryReply;
import io.boltwork.spi.RequestId;
import java.util.HashMap;
import java.util.Map;

/** Checks {@link Property#RETENTION}. */
final class RetentionCheck extends SimulationCheck {

    /** A client with a good network is told at once. */
    private static final long LONGEST_IF_TOLD = 300 * Plan.MILLI;

    /**
     * A lost message is made up for by a renewal, which may be repeated after the command timeout, and answered late.
     */
    private static final long RENEWAL_SLOW = 2 * Plan.SECOND;

    private static final long LONGEST_LEASE = 4 * Plan.SECOND;

    /** The most owners of a slice. */
    private static final int SLICE = 8;

    /** True while no message can have been lost. */
    private boolean recallsArrive;

    RetentionCheck(SimulationHistory history) {
        super(Property.RETENTION, history);
        this.recallsArrive = !plan.weather().isBad();
    }

    @Override
    void faultAt(SimulatedClient client) {
        recallsArrive = false;
    }

    /** The time since which others are known to wait for the present owner's lock, by lock. */
    private final Map<String, Long> wantedSince = new HashMap<>();

    @Override
    void granted(ObservedLock lock, ObservedHold begun) {
        wantedSince.remove(lock.name);
    }

    /** A hold that was not granted begins with a lease that was confirmed less than half a lease ago. */
    @Override
    void handedOver(ObservedLock lock, ObservedHold begun, LockMachine machine) {
        Request request = begun.hold.request;
        if (!RequestId.isRetained(request.number) || lock.data.hasGoneBack() || lock.data.hasLostTimeSince(0)) {
            return;
        }
        Long wanted = wantedSince.get(lock.name);
        require(
                wanted == null
                        || !recallsArrive
                        || time.now() - wanted < LONGEST_IF_TOLD
                        || begun.hold.token < request.firstToken + SLICE,
                () -> begun + " continues a hold that others have wanted since " + wanted / Plan.MICRO + " µs");
        long half = request.terms.leaseMillis * Plan.MILLI / 2;
        for (ObservedHold other : lock.live) {
            require(
                    other.hold.request == request
                            || other.hold.token < request.firstToken
                            || time.now() - other.grantedAt < half + SimulationChecks.PERIOD,
                    () -> begun + " was taken from a lease that ended long before, when " + other + " began");
        }
    }

    @Override
    void regularly(LockAtServer lock) {
        String name = lock.history().name;
        QueryReply.Inspected record = lock.record();
        SimulatedClient owner = lock.owner();
        LockMachine machine = owner == null || !owner.isWell(name) ? null : owner.machine(name);
        boolean isRetained =
                machine != null && machine.isLeased() && machine.hold() == null && machine.knows(record.owner());
        boolean isWanted = record.queue().stream()
                .anyMatch(waiting -> simulation.clientOf(waiting.request()) != owner
                        && !RequestId.haveOneClient(waiting.request(), String.valueOf(record.owner())));
        if (isWanted && machine != null && machine.knows(record.owner())) {
            wantedSince.putIfAbsent(name, time.now());
        } else {
            wantedSince.remove(name);
        }
        requireBrief(
                name + " is retained by a client although others wait for it",
                isRetained && isWanted,
                recallsArrive ? LONGEST_IF_TOLD : LONGEST_LEASE * 4 / 9 + RENEWAL_SLOW);
    }
}
