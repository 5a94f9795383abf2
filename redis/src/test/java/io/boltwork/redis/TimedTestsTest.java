package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.boltwork.testkit.Slack;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.BeforeTestExecutionCallback;
import org.junit.jupiter.api.extension.Extension;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;
import org.junit.jupiter.api.extension.TestTemplateInvocationContext;
import org.opentest4j.TestAbortedException;

/** This JVM is stopped for a moment, as a hypervisor does it. */
class TimedTestsTest {
    private static final ExtensionContext NO_CONTEXT = null;
    private static final Duration BOUND = Duration.ofMillis(50);
    private static final long STOPPED = 100; // ms

    @Test
    void whatPassesRunsOnce() throws Throwable {
        assertThat(outcomes(() -> TimedTests.atMost(BOUND, Slack.of(BOUND), "a figure at its bound")))
                .containsExactly("passed");
    }

    @Test
    void aFigureThatTheMachineMadeTooLargeIsMeasuredAgainAndTheFifthOneCounts() throws Throwable {
        assertThat(outcomes(() -> tooLate(STOPPED / 2)))
                .containsExactly("aborted", "aborted", "aborted", "aborted", "failed");
    }

    @Test
    void measuredAgainItPasses() throws Throwable {
        List<String> before = new ArrayList<>();
        assertThat(outcomes(() -> {
                    before.add("");
                    tooLate(before.size() == 1 ? STOPPED / 2 : 0);
                }))
                .containsExactly("aborted", "passed");
    }

    @Test
    void aFigureThatIsWorseThanTheMachineCountsAtOnce() throws Throwable {
        assertThat(outcomes(() -> tooLate(60_000))).containsExactly("failed");
    }

    @Test
    void allOtherFailuresCountAtOnce() throws Throwable {
        assertThat(outcomes(() -> {
                    stop();
                    throw new AssertionError("the lock is held twice");
                }))
                .containsExactly("failed");
    }

    @Test
    void itSaysWhatWasTooLate() {
        assertThatThrownBy(() -> TimedTests.atMost(BOUND, Slack.of(BOUND).plusMillis(6), "the hand-over"))
                .isInstanceOf(AssertionError.class)
                .hasMessageStartingWith("the hand-over took ")
                .hasMessageEndingWith(", at most " + Slack.of(BOUND) + " is right");
    }

    private static void tooLate(long millis) throws Exception {
        stop();
        TimedTests.atMost(BOUND, Slack.of(BOUND).plusMillis(millis), "a figure");
    }

    /** Stands still. */
    private static void stop() throws IOException, InterruptedException {
        long pid = ProcessHandle.current().pid();
        String seconds = String.valueOf(STOPPED / 1e3);
        new ProcessBuilder("sh", "-c", "kill -STOP " + pid + "; sleep " + seconds + "; kill -CONT " + pid)
                .start()
                .waitFor();
    }

    /** What JUnit does with the extensions of a test. */
    private static List<String> outcomes(ThrowingBody body) throws Throwable {
        List<String> outcomes = new ArrayList<>();
        Iterator<TestTemplateInvocationContext> attempts = new TimedTests()
                .provideTestTemplateInvocationContexts(NO_CONTEXT)
                .iterator();
        while (attempts.hasNext()) {
            Extension attempt = attempts.next().getAdditionalExtensions().get(0);
            ((BeforeTestExecutionCallback) attempt).beforeTestExecution(NO_CONTEXT);
            Throwable failure = catchThrowable(body::run);
            Throwable verdict = failure == null
                    ? null
                    : catchThrowable(() -> ((TestExecutionExceptionHandler) attempt)
                            .handleTestExecutionException(NO_CONTEXT, failure));
            ((AfterTestExecutionCallback) attempt).afterTestExecution(NO_CONTEXT);
            outcomes.add(verdict == null ? "passed" : verdict instanceof TestAbortedException ? "aborted" : "failed");
        }
        return outcomes;
    }

    private interface ThrowingBody {
        void run() throws Exception;
    }
}
