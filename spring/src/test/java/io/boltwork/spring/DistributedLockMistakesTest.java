package io.boltwork.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** What is wrong with an annotation is said when the application starts: where, and how to mend it. */
class DistributedLockMistakesTest {

    static class BadExpression {
        @DistributedLock("stock:#{#item +}")
        public void buy(String item) {}
    }

    static class UnknownVariable {
        @DistributedLock("stock:#{#itme}")
        public void buy(String item) {}
    }

    static class ForgottenBraces {
        @DistributedLock("stock:#item")
        public void buy(String item) {}
    }

    static class UnknownBean {
        @DistributedLock("@nobody.name()")
        public void buy() {}
    }

    static class UnknownPlaceholder {
        @DistributedLock("${nobody}")
        public void buy() {}
    }

    static class TooFewParameters {
        @DistributedLock("#p1")
        public void buy(String item) {}
    }

    static class BothLeases {
        @DistributedLock(name = "x", leaseTime = 5, lease = "5s")
        public void buy() {}
    }

    static class BothWaits {
        @DistributedLock(name = "x", waitTime = 5, waitFor = "5s")
        public void buy() {}
    }

    static class NoUnit {
        @DistributedLock(name = "x", lease = "5")
        public void buy() {}
    }

    static class HoldsThatDoNotFit {
        @DistributedLock(name = "x", minHold = "5m", maxHold = "1m")
        public void buy() {}
    }

    static class NoSuchFallback {
        @DistributedLock(name = "x", onRefused = OnRefused.FALLBACK, fallback = "other")
        public String buy() {
            return "";
        }

        public int other() {
            return 0;
        }
    }

    static class FallbackUnnamed {
        @DistributedLock(name = "x", onRefused = OnRefused.FALLBACK)
        public void buy() {}
    }

    static class NullOfPrimitive {
        @DistributedLock(name = "x", onRefused = OnRefused.RETURN_NULL)
        public int buy() {
            return 0;
        }
    }

    static class InterruptOfStage {
        @DistributedLock(name = "x", onLost = OnLost.INTERRUPT)
        public CompletableFuture<String> buy() {
            return new CompletableFuture<>();
        }
    }

    static class PlainFuture {
        @DistributedLock("x")
        public Future<String> buy() {
            return new CompletableFuture<>();
        }
    }

    static class FinalMethod {
        @DistributedLock("x")
        public final void buy() {}
    }

    static class PrivateMethod {
        void others() {
            buy();
        }

        @DistributedLock("x")
        private void buy() {}
    }

    static class StaticMethod {
        @DistributedLock("x")
        public static void buy() {}
    }

    static final class FinalClass {
        @DistributedLock("x")
        public void buy() {}
    }

    @Test
    void texts() {
        assertMistake(BadExpression.class, "not a valid expression", "Correct the expression");
        assertMistake(UnknownVariable.class, "#itme, but the method's parameters are [item]", "#p0");
        assertMistake(ForgottenBraces.class, "literally", "#{#item}");
        assertMistake(UnknownBean.class, "bean 'nobody'", "Define that bean");
        assertMistake(UnknownPlaceholder.class, "nobody", "${name:default}");
        assertMistake(TooFewParameters.class, "1 parameters", "#p0");
    }

    @Test
    void durations() {
        assertMistake(BothLeases.class, "both leaseTime = 5 and lease = \"5s\"", "Leave one of them out");
        assertMistake(BothWaits.class, "both waitTime", "Leave one of them out");
        assertMistake(NoUnit.class, "no unit", "30s");
        assertMistake(HoldsThatDoNotFit.class, "minHold must not be longer than maxHold", "fit together");
    }

    @Test
    void refusalsAndLosses() {
        assertMistake(NoSuchFallback.class, "no such method", "parameters of buy");
        assertMistake(FallbackUnnamed.class, "no fallback is named", "fallback = \"method\"");
        assertMistake(NullOfPrimitive.class, "cannot be null", "Integer");
        assertMistake(InterruptOfStage.class, "CompletableFuture", "whenLost()");
        assertMistake(PlainFuture.class, "returns Future", "CompletableFuture");
    }

    @Test
    void whatNoProxyCanLock() {
        assertMistake(FinalMethod.class, "is final", "Take 'final' away");
        assertMistake(PrivateMethod.class, "is private", "public method");
        assertMistake(StaticMethod.class, "is static", "public method");
        assertMistake(FinalClass.class, "final class", "Take 'final' away");
    }

    @Test
    void lazyBeansToo() {
        runner().withBean(UnknownVariable.class, UnknownVariable::new)
                .withInitializer(context -> context.addBeanFactoryPostProcessor(beans -> {
                    for (String name : beans.getBeanNamesForType(UnknownVariable.class)) {
                        beans.getBeanDefinition(name).setLazyInit(true);
                    }
                }))
                .run(context -> assertThat(context).hasFailed());
    }

    private static ApplicationContextRunner runner() {
        return new ApplicationContextRunner()
                .withConfiguration(
                        AutoConfigurations.of(BoltworkAutoConfiguration.class, DistributedLockAutoConfiguration.class))
                .withPropertyValues("boltwork.backend=memory");
    }

    private static void assertMistake(Class<?> bean, String problem, String action) {
        runner().withBean(bean).run(context -> {
            assertThat(context).hasFailed();
            FailureAnalysis analysis = new LockFailureAnalyzer().analyze(context.getStartupFailure());
            assertThat(analysis).isNotNull();
            assertThat(analysis.getDescription())
                    .contains(bean.getName() + ".buy(")
                    .contains(problem);
            assertThat(analysis.getAction()).contains(action);
        });
    }
}
