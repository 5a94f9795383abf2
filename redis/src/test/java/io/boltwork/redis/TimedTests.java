// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.testkit.wait.Slack;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.BeforeTestExecutionCallback;
import org.junit.jupiter.api.extension.Extension;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;
import org.junit.jupiter.api.extension.TestTemplateInvocationContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContextProvider;
import org.opentest4j.TestAbortedException;

/**
 * Runs each {@link TimedTest} once, and again if a figure exceeded its bound by no more than the machine stood still
 * meanwhile, because such a figure proves nothing. It is not ignored either: a later run must stay within the bound,
 * and the fifth run counts in any case. All other failures count at once.
 */
final class TimedTests implements TestTemplateInvocationContextProvider {
    /**
     * On a machine that was unavailable for a fifth of the time, one or two figures in a hundred failed, so five in a
     * row are no coincidence.
     */
    private static final int MOST = 5;

    /** Checks a measurement against its bound, which slow machines stretch. */
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

    @Override
    public boolean supportsTestTemplate(ExtensionContext context) {
        return true;
    }

    @Override
    public Stream<TestTemplateInvocationContext> provideTestTemplateInvocationContexts(ExtensionContext context) {
        Method test = context.getRequiredTestMethod();
        Class<?>[] parameters = test.getParameterTypes();
        if (parameters.length == 0 || !parameters[0].isEnum()) {
            return attempts(null);
        }
        List<String> names = List.of(
                Objects.requireNonNull(test.getAnnotation(TimedTest.class)).value());
        List<Enum<?>> cases = Arrays.stream(parameters[0].getEnumConstants())
                .<Enum<?>>map(constant -> (Enum<?>) constant)
                .filter(constant -> names.isEmpty() || names.contains(constant.name()))
                .toList();
        if (!names.isEmpty()) {
            assertThat(cases).extracting(Enum::name).hasSameElementsAs(names);
        }
        return cases.stream().flatMap(TimedTests::attempts);
    }

    /** Returns whether there is a next run, which is known only after the previous one. */
    private static Stream<TestTemplateInvocationContext> attempts(@Nullable Enum<?> argument) {
        return Stream.iterate(new Attempt(argument, 1, null), Attempt::isDue, Attempt::next)
                .map(TestTemplateInvocationContext.class::cast);
    }

    /** One run of the test. */
    private static final class Attempt
            implements TestTemplateInvocationContext,
                    ParameterResolver,
                    BeforeTestExecutionCallback,
                    TestExecutionExceptionHandler,
                    AfterTestExecutionCallback {
        private final @Nullable Enum<?> argument;
        private final int number;
        private final @Nullable Attempt before;
        private @Nullable Standstill standstill;
        private boolean worthless;

        Attempt(@Nullable Enum<?> argument, int number, @Nullable Attempt before) {
            this.argument = argument;
            this.number = number;
            this.before = before;
        }

        boolean isDue() {
            return before == null || before.worthless;
        }

        Attempt next() {
            return new Attempt(argument, number + 1, this);
        }

        @Override
        public String getDisplayName(int invocationIndex) {
            return (argument == null ? "" : argument + ", ") + "attempt " + number;
        }

        @Override
        public List<Extension> getAdditionalExtensions() {
            return List.of(this);
        }

        @Override
        public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
            return argument != null && parameter.getIndex() == 0;
        }

        @Override
        public @Nullable Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
            return argument;
        }

        @Override
        public void beforeTestExecution(ExtensionContext context) {
            standstill = new Standstill();
        }

        @Override
        public void handleTestExecutionException(ExtensionContext context, Throwable failure) throws Throwable {
            Duration lost = standstill == null ? Duration.ZERO : standstill.total();
            if (number < MOST && failure instanceof TooLate late && late.excess.compareTo(lost) <= 0) {
                worthless = true;
                String why = late.getMessage() + ", while the machine stood still for " + lost + ": measured again";
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
