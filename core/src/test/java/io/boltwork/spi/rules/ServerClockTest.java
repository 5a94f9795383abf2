// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spi.rules;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ServerClockTest {

    private static final long SECOND = 1_000_000_000;

    private final ServerClock clock = new ServerClock("run");

    @Test
    void theServerClockContinuesFromTheNewestAnswer() {
        clock.read(50_000, 7 * SECOND, 0);
        assertThat(clock.millisAt(7 * SECOND)).isEqualTo(50_000);
        assertThat(clock.millisAt(9 * SECOND)).isEqualTo(52_000);
        clock.read(60_000, 8 * SECOND, 0);
        assertThat(clock.millisAt(9 * SECOND)).as("set forward").isEqualTo(61_000);
        assertThat(clock.run()).isEqualTo("run");
    }
}
