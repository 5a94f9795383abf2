// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import io.boltwork.testkit.wait.Slack;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Events;

/** Runs timed tests with JUnit while this JVM is stopped for a moment, as by a hypervisor. */
class TimedTestsTest {
    private static final Duration BOUND = Duration.ofMillis(50);
    private static final Duration STOPPED = Duration.ofMillis(200);

    private static final List<String> RUNS = new ArrayList<>();

    @BeforeEach
    void begin() {
        RUNS.clear();
    }

    @Test
    void aTestInTimeRunsOnce() {
        run("inTime").assertStatistics(all -> all.started(1).succeeded(1));
    }

    @Test
    void aTestDelayedByTheMachineRunsAgain() {
        run("tooLateAtFirst").assertStatistics(all -> all.started(2).aborted(1).succeeded(1));
    }

    @Test
    void theFifthRunCounts() {
        run("tooLateEachTime").assertStatistics(all -> all.started(5).aborted(4).failed(1));
    }

    @Test
    void aDelayBeyondTheMachinesCountsAtOnce() {
        run("tooLateByItself").assertStatistics(all -> all.started(1).failed(1));
    }

    @Test
    void allOtherFailuresCountAtOnce() {
        run("wrong").assertStatistics(all -> all.started(1).failed(1));
    }

    @Test
    void aTestRunsForEachConstantAndAgainOnlyForALateOne() {
        run("each", TimeUnit.class)
                .assertStatistics(
                        all -> all.started(TimeUnit.values().length + 1).aborted(1));
        assertThat(RUNS)
                .startsWith("NANOSECONDS", "NANOSECONDS", "MICROSECONDS")
                .endsWith("HOURS", "DAYS");
    }

    @Test
    void aTestRunsOnlyForTheNamedConstants() {
        run("some", TimeUnit.class).assertStatistics(all -> all.started(2).succeeded(2));
        assertThat(RUNS).containsExactly("MILLISECONDS", "DAYS");
    }

    @Test
    void aFailureNamesTheLateFigure() {
        assertThatThrownBy(() -> TimedTests.atMost(BOUND, Slack.of(BOUND).plusMillis(6), "the hand-over"))
                .isInstanceOf(AssertionError.class)
                .hasMessageStartingWith("the hand-over took ")
                .hasMessageEndingWith(", at most " + Slack.of(BOUND) + " is right");
    }

    private static Events run(String test, Class<?>... parameters) {
        return EngineTestKit.engine("junit-jupiter")
                .selectors(selectMethod(Timed.class, test, parameters))
                .execute()
                .testEvents();
    }

    static class Timed {
        @TimedTest
        void inTime() {
            TimedTests.atMost(BOUND, Slack.of(BOUND), "a figure at its bound");
        }

        @TimedTest
        void tooLateAtFirst() throws Exception {
            RUNS.add("");
            tooLate(RUNS.size() == 1 ? STOPPED.toMillis() / 2 : 0);
        }

        @TimedTest
        void tooLateEachTime() throws Exception {
            tooLate(STOPPED.toMillis() / 2);
        }

        @TimedTest
        void tooLateByItself() throws Exception {
            tooLate(60_000);
        }

        @TimedTest
        void wrong() throws Exception {
            StandstillTest.stop(STOPPED);
            throw new AssertionError("the lock is held twice");
        }

        @TimedTest
        void each(TimeUnit unit) throws Exception {
            RUNS.add(unit.name());
            tooLate(RUNS.size() == 1 ? STOPPED.toMillis() / 2 : 0);
        }

        @TimedTest({"MILLISECONDS", "DAYS"})
        void some(TimeUnit unit) {
            RUNS.add(unit.name());
        }

        private static void tooLate(long millis) throws Exception {
            StandstillTest.stop(STOPPED);
            TimedTests.atMost(BOUND, Slack.of(BOUND).plusMillis(millis), "a figure");
        }
    }
}
