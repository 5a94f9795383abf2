// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the forms of durations. */
class DurationsTest {

    @ParameterizedTest
    @CsvSource({
        "500ms, PT0.5S",
        "30s, PT30S",
        "5m, PT5M",
        "2H, PT2H",
        "1d, PT24H",
        "7us, PT0.000007S",
        "9ns, PT0.000000009S",
        "+3s, PT3S",
        "PT30S, PT30S",
        "p1d, PT24H"
    })
    void durations(String text, Duration duration) {
        assertThat(Durations.parse(text)).isEqualTo(duration);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "s", "5 s", "5.5s", "5x", "5min", "PT", "99999999999999999999s", "9223372036854775807d"})
    void whatIsNoDuration(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Durations.parse(text))
                .withMessageStartingWith("'" + text + "' is not a valid ");
    }

    @Test
    void numbersNeedAUnitAndNoMinus() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Durations.parse("5"))
                .withMessage("'5' has no unit");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Durations.parse("-5s"))
                .withMessage("'-5s' is negative");
    }
}
