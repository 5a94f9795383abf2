// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import static io.boltwork.engine.Interleavings.check;
import static io.boltwork.engine.Interleavings.together;

import io.boltwork.engine.client.ServerClocks;
import io.boltwork.engine.client.SuspensionDetector;
import io.boltwork.spi.ServerTime;
import io.boltwork.spi.rules.ServerClock;
import java.time.Instant;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("interleavings")
class ServerClocksLincheckTest {

    private static final ServerTime OLD = new ServerTime(1_000, "old");
    private static final ServerTime NEW = new ServerTime(5_000, "new");

    @Test
    void oneServersTimeIsNeverTakenForAnotherServers() {
        Interleavings.of(60, () -> {
            ServerClocks clocks =
                    new ServerClocks(1, new SuspensionDetector(() -> 0, () -> Instant.EPOCH, missed -> {}));
            clocks.read(0, OLD, 0);
            together(() -> clocks.read(0, NEW, 0), () -> clocks.read(0, OLD, 0), () -> {
                long millis = clocks.of(0).millisAt(0);
                check(millis == OLD.millis() || millis == NEW.millis(), "the time of no server");
            });
            ServerClock clock = clocks.of(0);
            boolean old = clock.run().equals(OLD.run());
            check(clock.millisAt(0) == (old ? OLD : NEW).millis(), "another server's time");
        });
    }
}
