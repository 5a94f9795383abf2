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
        assertThat(partitionOutages.begin(range(0, 10), 100, first)).isTrue();
        assertThat(partitionOutages.end(range(0, 4), false)).containsExactly(new Return(100, first, false, false));
        assertThat(partitionOutages.isNone()).isFalse();
        assertThat(partitionOutages.end(range(20, 30), true))
                .as("was never away")
                .isEmpty();
        assertThat(partitionOutages.end(range(4, 20), true)).containsExactly(new Return(100, first, true, true));
        assertThat(partitionOutages.isNone()).isTrue();
    }

    @Test
    void aReturnAtAnotherServerIsRemembered() {
        partitionOutages.begin(range(0, 10), 100, first);
        partitionOutages.end(range(0, 4), true);
        assertThat(partitionOutages.end(range(4, 10), false)).containsExactly(new Return(100, first, true, true));
    }

    @Test
    void aPartitionThatIsAlreadyDownIsCountedOnce() {
        partitionOutages.begin(range(0, 10), 100, first);
        assertThat(partitionOutages.begin(range(2, 5), 200, second)).isFalse();
        assertThat(partitionOutages.begin(range(5, 15), 200, second)).isTrue();
        assertThat(partitionOutages.end(range(10, 15), false)).containsExactly(new Return(200, second, false, true));
        assertThat(partitionOutages.end(range(0, 15), false)).isEqualTo(List.of(new Return(100, first, false, true)));
    }

    @Test
    void laterChangesOfTheCallersSetHaveNoEffect() {
        BitSet mine = range(0, 2);
        partitionOutages.begin(mine, 100, first);
        mine.clear();
        assertThat(partitionOutages.end(range(1, 2), false)).containsExactly(new Return(100, first, false, false));
    }
}
