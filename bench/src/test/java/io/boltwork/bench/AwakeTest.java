package io.boltwork.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.boltwork.testkit.Await;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class AwakeTest {

    @Test
    void thereIsAProcessForEachProcessorUntilItIsClosedAndTheyAreNotTakenForOthers() {
        assumeTrue(Awake.isPossible(), "no chrt here, which comes with Linux' util-linux");
        List<ProcessHandle> processes = new ArrayList<>();
        try (Awake awake = new Awake()) {
            processes.addAll(awake.processes());
            assertThat(processes)
                    .hasSize(Runtime.getRuntime().availableProcessors())
                    .allMatch(ProcessHandle::isAlive);
            Await.until(
                    "they work",
                    () -> Machine.of(processes.stream().map(ProcessHandle::pid).toList()) > 0.1);
            assertThat(awake.processes()).allMatch(ProcessHandle::isAlive);
        }
        assertThat(processes).noneMatch(ProcessHandle::isAlive);
    }
}
