// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.engine.watch.PartitionOutages.Return;
import io.boltwork.machine.request.RecoveryTally;
import java.util.BitSet;
import java.util.List;
import org.junit.jupiter.api.Test;

class PartitionOutagesTest {

    private final PartitionOutages partitionOutages = new PartitionOutages();
    private final RecoveryTally first = new RecoveryTally();
    private final RecoveryTally second = new RecoveryTally();

    private static BitSet range(int from, int to) {
        BitSet set = new BitSet();
        set.set(from, to);
        return set;
    }

    @Test
    void anOutageEndsWhenAllItsPartitionsAreBack() {
        assertThat(partitionOutages.isNone()).isTrue();
        assertThat(partitionOutages.addOutage(range(0, 10), 100, first)).isTrue();
        assertThat(partitionOutages.removeOutages(range(0, 4), false))
                .containsExactly(new Return(100, first, false, false));
        assertThat(partitionOutages.isNone()).isFalse();
        assertThat(partitionOutages.removeOutages(range(20, 30), true))
                .as("was never away")
                .isEmpty();
        assertThat(partitionOutages.removeOutages(range(4, 20), true))
                .containsExactly(new Return(100, first, true, true));
        assertThat(partitionOutages.isNone()).isTrue();
    }

    @Test
    void aReturnAtAnotherServerIsRemembered() {
        partitionOutages.addOutage(range(0, 10), 100, first);
        partitionOutages.removeOutages(range(0, 4), true);
        assertThat(partitionOutages.removeOutages(range(4, 10), false))
                .containsExactly(new Return(100, first, true, true));
    }

    @Test
    void aPartitionThatIsAlreadyDownIsCountedOnce() {
        partitionOutages.addOutage(range(0, 10), 100, first);
        assertThat(partitionOutages.addOutage(range(2, 5), 200, second)).isFalse();
        assertThat(partitionOutages.addOutage(range(5, 15), 200, second)).isTrue();
        assertThat(partitionOutages.removeOutages(range(10, 15), false))
                .containsExactly(new Return(200, second, false, true));
        assertThat(partitionOutages.removeOutages(range(0, 15), false))
                .isEqualTo(List.of(new Return(100, first, false, true)));
    }

    @Test
    void laterChangesOfTheCallersSetHaveNoEffect() {
        BitSet mine = range(0, 2);
        partitionOutages.addOutage(mine, 100, first);
        mine.clear();
        assertThat(partitionOutages.removeOutages(range(1, 2), false))
                .containsExactly(new Return(100, first, false, false));
    }
}
