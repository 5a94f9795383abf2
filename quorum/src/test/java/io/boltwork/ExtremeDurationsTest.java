// SPDX-License-Identifier: Apache-2.0
package io.boltwork;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.quorum.QuorumOptions;
import org.junit.jupiter.api.Test;

/** Options name the parameter and the range, however long a duration is. */
class ExtremeDurationsTest {

    @Test
    void anOptionRefusesADurationOutOfItsRange() {
        assertThat(ExtremeDurations.refusedBy(QuorumOptions.class, QuorumOptions.defaults()))
                .isEqualTo(2);
    }
}
