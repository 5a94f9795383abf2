// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.output;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class TableTest {

    @Test
    void columnsAreAsWideAsTheirWidestCell() {
        Table table = new Table("NAME", ">COUNT");
        table.row("a", 1);
        table.row("longer\u0007", 12_345);
        StringWriter text = new StringWriter();
        table.print(new PrintWriter(text, true));
        assertThat(text.toString().lines())
                .containsExactly("NAME          COUNT", "a                 1", "longer\\u0007  12345");
    }

    @Test
    void aRowHasACellForEachColumn() {
        assertThatThrownBy(() -> new Table("A", "B").row("a")).hasMessageContaining("cells must be 2");
    }

    @Test
    void timesAreShort() {
        assertThat(Units.time(Duration.ofMillis(350))).isEqualTo("0.35 s");
        assertThat(Units.time(Duration.ofMillis(21_340))).isEqualTo("21.3 s");
        assertThat(Units.time(Duration.ofSeconds(245))).isEqualTo("4 min 5 s");
        assertThat(Units.time(Duration.ofMinutes(192))).isEqualTo("3 h 12 min");
        assertThat(Units.time(Duration.ofHours(51))).isEqualTo("2 d 3 h");
    }
}
