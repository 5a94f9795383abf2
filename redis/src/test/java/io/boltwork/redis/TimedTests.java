package io.boltwork.redis;

import io.boltwork.testkit.Slack;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.BeforeTestExecutionCallback;
import org.junit.jupiter.api.extension.Extension;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;
import org.junit.jupiter.api.extension.TestTemplateInvocationContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContextProvider;
import org.opentest4j.TestAbortedException;

/**
 * Runs each {@link TimedTest} once, and again if a figure of it went past its bound by no more than the machine stood still
 * meanwhile: such a figure says nothing. It is not forgiven, for what counts is a figure within the bound; the fifth one counts
 * in any case. All other failures count at once.
 */
final class TimedTests implements TestTemplateInvocationContextProvider {
    private static final int MOST = 5;

    @Override
    public boolean supportsTestTemplate(ExtensionContext context) {
        return true;
    }

    @Override
    public Stream<TestTemplateInvocationContext> provideTestTemplateInvocationContexts(ExtensionContext context) {
        return Stream.iterate(new Attempt(1, null), Attempt::isDue, Attempt::next)
                .map(TestTemplateInvocationContext.class::cast);
    }

    /** Holds what was measured to its bound, which slow machines stretch. */
    static void atMost(Duration bound, Duration figure, String what) {
        Duration stretched = Slack.of(bound);
        if (figure.compareTo(stretched) > 0) {
            throw new TooLate(
                    what + " took " + figure + ", at most " + stretched + " is right", figure.minus(stretched));
        }
    }

    private static final class TooLate extends AssertionError {
        private static final long serialVersionUID = 1;

        private final Duration excess;

        TooLate(String message, Duration excess) {
            super(message);
            this.excess = excess;
        }
    }

    /** One run of the test. */
    private static final class Attempt
            implements TestTemplateInvocationContext,
                    BeforeTestExecutionCallback,
                    TestExecutionExceptionHandler,
                    AfterTestExecutionCallback {
        private final int number;
        private final @Nullable Attempt before;
        private @Nullable Standstill standstill;
        private boolean worthless;

        Attempt(int number, @Nullable Attempt before) {
            this.number = number;
            this.before = before;
        }

        boolean isDue() {
            return before == null || before.worthless;
        }

        Attempt next() {
            return new Attempt(number + 1, this);
        }

        @Override
        public String getDisplayName(int invocationIndex) {
            return "attempt " + number;
        }

        @Override
        public List<Extension> getAdditionalExtensions() {
            return List.of(this);
        }

        @Override
        public void beforeTestExecution(ExtensionContext context) {
            standstill = new Standstill();
        }

        @Override
        public void handleTestExecutionException(ExtensionContext context, Throwable failure) throws Throwable {
            Duration longest = standstill == null ? Duration.ZERO : standstill.longest();
            if (number < MOST && failure instanceof TooLate late && late.excess.compareTo(longest) <= 0) {
                worthless = true;
                String why = late.getMessage() + ", while the machine stood still for " + longest + ": measured again";
                System.out.println(why);
                throw new TestAbortedException(why, late);
            }
            throw failure;
        }

        @Override
        public void afterTestExecution(ExtensionContext context) {
            if (standstill != null) {
                standstill.close();
            }
        }
    }
}
