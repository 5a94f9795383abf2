// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.boltwork.testkit.wait.Await;
import java.util.Set;
import org.junit.jupiter.api.Test;

class AwakeTest {

    @Test
    void oneProcessPerProcessorRunsUntilClose() {
        assumeTrue(Awake.isPossible(), "no chrt here, which comes with Linux' util-linux");
        Set<Long> pids;
        try (Awake awake = new Awake()) {
            pids = Awake.pids();
            assertThat(pids).hasSize(Runtime.getRuntime().availableProcessors()).allMatch(AwakeTest::isAlive);
            Await.until("the processes work", () -> Machine.of(pids) > 0.1);
        }
        assertThat(Awake.pids()).isEmpty();
        assertThat(pids).noneMatch(AwakeTest::isAlive);
    }

    private static boolean isAlive(long pid) {
        return ProcessHandle.of(pid).filter(ProcessHandle::isAlive).isPresent();
    }
}
