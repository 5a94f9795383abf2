package io.boltwork;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.spi.ServerTime;
import org.junit.jupiter.api.Test;

class ServerClockTest {

    private static final long SECOND = 1_000_000_000;

    private final ServerClock clock = new ServerClock();

    @Test
    void goesOnFromTheNewestAnswerAndBelongsToItsRun() {
        clock.read(new ServerTime(50_000, "first"), 7 * SECOND);
        assertThat(clock.millisAt(7 * SECOND)).isEqualTo(50_000);
        assertThat(clock.millisAt(9 * SECOND)).isEqualTo(52_000);
        assertThat(clock.run()).isEqualTo("first");
        clock.read(new ServerTime(60_000, "first"), 8 * SECOND);
        assertThat(clock.millisAt(9 * SECOND)).as("set forward").isEqualTo(61_000);
        clock.read(new ServerTime(61_000, "second"), 9 * SECOND);
        assertThat(clock.millisAt(9 * SECOND)).isEqualTo(61_000);
        assertThat(clock.run()).as("another server with the same time").isEqualTo("second");
    }
}
