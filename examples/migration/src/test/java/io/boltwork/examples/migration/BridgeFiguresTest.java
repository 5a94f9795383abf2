// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.migration;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.testkit.server.ChildJvm;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** The measurements of the bridge come to their end, in a JVM of their own. */
class BridgeFiguresTest {
    private static final int ROWS = 3 + 5;
    private static final int HEADS = 2 * 2;

    @Test
    @EnabledIfSystemProperty(named = "boltwork.proof", matches = "true", disabledReason = "for mvn verify -Pproof")
    void allRowsAreMeasured() throws Exception {
        List<String> rows = new ArrayList<>();
        try (ChildJvm jvm = ChildJvm.start(BridgeFigures.class)) {
            while (rows.size() < HEADS + ROWS) {
                String line = jvm.nextLine(Duration.ofMinutes(5));
                assertThat(line).isNotNull();
                if (line.startsWith("|")) {
                    rows.add(line);
                    System.out.println(line);
                }
            }
        }
        assertThat(rows).hasSize(HEADS + ROWS);
    }
}
