// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class StandstillTest {
    private static final Duration STOPPED = Duration.ofMillis(20);

    /** The caller may be awake before the measuring thread. */
    @Test
    void aStandstillThatHasJustEndedIsCounted() throws Exception {
        for (int i = 0; i < 100; i++) {
            try (Standstill standstill = new Standstill()) {
                stop(STOPPED);
                assertThat(standstill.total()).isGreaterThan(STOPPED.dividedBy(2));
            }
        }
    }

    /** Stops this JVM for a time, as a hypervisor does. */
    static void stop(Duration time) throws IOException, InterruptedException {
        long pid = ProcessHandle.current().pid();
        new ProcessBuilder("sh", "-c", "kill -STOP " + pid + "; sleep " + time.toMillis() / 1e3 + "; kill -CONT " + pid)
                .start()
                .waitFor();
    }
}
