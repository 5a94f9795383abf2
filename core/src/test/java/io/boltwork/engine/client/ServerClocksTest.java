// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.spi.ServerTime;
import java.time.Instant;
import java.util.BitSet;
import org.junit.jupiter.api.Test;

class ServerClocksTest {

    private static final long SECOND = 1_000_000_000;

    private final ServerClocks clocks =
            new ServerClocks(3, new SuspensionDetector(() -> 0, () -> Instant.EPOCH, missed -> {}));

    private static BitSet only(int... partitions) {
        BitSet set = new BitSet();
        for (int partition : partitions) {
            set.set(partition);
        }
        return set;
    }

    @Test
    void partitionsOfOneServerShareItsClock() {
        clocks.connected(only(0, 1), new ServerTime(50_000, "a"), 7 * SECOND);
        clocks.connected(only(2), new ServerTime(90_000, "b"), 7 * SECOND);
        clocks.read(0, new ServerTime(60_000, "a"), 8 * SECOND);
        assertThat(clocks.of(1).millisAt(9 * SECOND)).isEqualTo(61_000);
        assertThat(clocks.of(1).run()).isEqualTo("a");
        assertThat(clocks.of(2).millisAt(9 * SECOND)).isEqualTo(92_000);
        assertThat(clocks.of(2).run()).isEqualTo("b");
    }

    @Test
    void anAnswerOfAnotherServerCountsOnlyForItsPartition() {
        clocks.connected(only(0, 1), new ServerTime(50_000, "a"), 7 * SECOND);
        clocks.read(0, new ServerTime(50_000, "b"), 7 * SECOND);
        clocks.read(0, new ServerTime(70_000, "b"), 7 * SECOND);
        assertThat(clocks.of(0).run()).as("another server with the same time").isEqualTo("b");
        assertThat(clocks.of(0).millisAt(7 * SECOND)).isEqualTo(70_000);
        assertThat(clocks.of(1).run()).isEqualTo("a");
        assertThat(clocks.of(1).millisAt(7 * SECOND)).isEqualTo(50_000);
    }

    @Test
    void theClocksTellIfAPartitionIsAtAnotherServer() {
        assertThat(clocks.connected(only(0, 1), new ServerTime(1, "a"), 0))
                .as("the first")
                .isFalse();
        assertThat(clocks.connected(only(2), new ServerTime(1, "c"), 0))
                .as("the first")
                .isFalse();
        assertThat(clocks.connected(only(0, 1), new ServerTime(2, "a"), 0)).isFalse();
        assertThat(clocks.connected(only(1, 2), new ServerTime(2, "a"), 0)).isTrue();
        clocks.read(0, new ServerTime(3, "b"), 0);
        assertThat(clocks.connected(only(0), new ServerTime(4, "b"), 0))
                .as("although an earlier answer came from there")
                .isTrue();
    }
}
