// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DurationTextTest {

    @Test
    void readsANumberWithAUnit() {
        assertThat(DurationText.parse("50ms")).isEqualTo(Duration.ofMillis(50));
        assertThat(DurationText.parse("0.5ms")).isEqualTo(Duration.ofNanos(500_000));
        assertThat(DurationText.parse("1.5s")).isEqualTo(Duration.ofMillis(1_500));
        assertThat(DurationText.parse("0s")).isZero();
        assertThat(DurationText.parse(" 1M ")).isEqualTo(Duration.ofMinutes(1));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "5", "ms", "-1s", "1,5s", "5 s", "1h", "1s2ms", "9999999999s"})
    void invalidTextIsExplained(String text) {
        assertThatThrownBy(() -> DurationText.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'" + text + "' is not a duration")
                .hasMessageContaining("50ms");
    }

    @Test
    void writesReadableText() {
        assertThat(DurationText.format(Duration.ofMillis(50))).isEqualTo("50 ms");
        assertThat(DurationText.format(Duration.ofNanos(500_000))).isEqualTo("0.5 ms");
        assertThat(DurationText.format(Duration.ofSeconds(10))).isEqualTo("10 s");
        assertThat(DurationText.format(Duration.ofMillis(1_500))).isEqualTo("1.5 s");
        assertThat(DurationText.format(Duration.ofMinutes(2))).isEqualTo("2 min");
        assertThat(DurationText.format(Duration.ZERO)).isEqualTo("0 s");
    }
}
