package io.boltwork.engine;

import io.boltwork.machine.Request;
import io.boltwork.spi.Reply;
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
    void held(LockHistory lock, ObservedHold hold, @Nullable ObservedHold other) {
        if (random.nextInt(ONE_IN) != 0 || lock.data.losses(hold.knownToServerSince, time.now()) > 0) {
            return;
        }
        Reply.Inspected record = lock.data.look();
        Request request = hold.hold.request;
        require(
                request.id().equals(record.owner())
                        && lock.data.server().virtual(record.untilMillis()) >= hold.client.realTime(request.deadline())
                        && record.fence() >= hold.hold.token,
                () -> hold + " is valid, and the server has " + record);
    }
}
