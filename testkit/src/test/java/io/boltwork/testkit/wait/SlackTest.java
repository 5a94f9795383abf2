// SPDX-License-Identifier: Apache-2.0
package io.boltwork.testkit.wait;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class SlackTest {

    @Test
    void boundsAreMultipliedByTheFactor() {
        assertThat(Slack.of(Duration.ofSeconds(2)).toNanos()).isEqualTo((long) (2e9 * Slack.factor()));
        assertThat(Slack.seconds(3)).isEqualTo(Slack.of(Duration.ofSeconds(3)));
    }
}
