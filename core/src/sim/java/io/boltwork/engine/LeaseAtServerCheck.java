// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import io.boltwork.machine.request.MissedTime;
import io.boltwork.machine.request.Request;
import io.boltwork.spi.QueryReply;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Checks {@link Property#LEASE_AT_SERVER}, after one event in four. */
final class LeaseAtServerCheck extends SimulationCheck {

    private static final int ONE_IN = 4;

    private final Random random;

    LeaseAtServerCheck(SimulationHistory history) {
        super(Property.LEASE_AT_SERVER, history);
        this.random = plan.random("properties");
    }

    @Override
    void held(ObservedLock lock, ObservedHold hold, @Nullable ObservedHold other) {
        if (random.nextInt(ONE_IN) != 0 || lock.data.losses(hold.knownToServerSince, time.now()) > 0) {
            return;
        }
        QueryReply.Inspected record = lock.data.look();
        Request request = hold.hold.request;
        long end = hold.client.realTime(request.deadline()) - missed(request);
        require(
                request.id().equals(record.owner())
                        && lock.data.server().virtual(record.untilMillis()) >= end
                        && record.fence() >= hold.hold.token,
                () -> hold + " is valid until " + end / Plan.MICRO + " µs, and the server has " + record);
    }

    /** Returns how much too late the deadline of a request is known to be, until the server has answered. */
    private static long missed(Request request) {
        MissedTime missedTime = request.missedTime();
        return missedTime == null ? 0 : missedTime.missed();
    }
}
