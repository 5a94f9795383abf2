package io.boltwork.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import kotlin.coroutines.Continuation;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.http.ResponseEntity;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;
import reactor.core.publisher.Mono;

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

    static class Suspending {
        @DistributedLock("x")
        public Object buy(Continuation completion) {
            return "";
        }
    }

    static class Later {
        @DistributedLock("x")
        public Callable<String> buy() {
            return () -> "";
        }
    }

    static class Lazy {
        @DistributedLock("x")
        public Stream<String> buy() {
            return Stream.of();
        }
    }

    static class Deferred {
        @DistributedLock("x")
        public DeferredResult<String> buy() {
            return new DeferredResult<>();
        }
    }

    static class Streaming {
        @DistributedLock("x")
        public StreamingResponseBody buy() {
            return out -> {};
        }
    }

    static class MonoInside {
        @DistributedLock("x")
        public ResponseEntity<Mono<String>> buy() {
            return ResponseEntity.ok(Mono.just(""));
        }
    }

    static class StreamInside {
        @DistributedLock("x")
        public CompletableFuture<Stream<String>> buy() {
            return CompletableFuture.completedFuture(Stream.of());
        }
    }

    static class OwnStage {
        interface Stage<T> extends CompletionStage<T> {}

        @DistributedLock("x")
        public Stage<String> buy() {
            throw new IllegalStateException();
        }
    }

    abstract static class Base<T> {
        @DistributedLock("x")
        public T buy() {
            throw new IllegalStateException();
        }
    }

    static class BoundToCallable extends Base<Callable<String>> {
        @Override
        @DistributedLock("x")
        public Callable<String> buy() {
            return () -> "";
        }
    }

    static class Order {
        public String getId() {
            return "";
        }

        public Order getParent() {
            return this;
        }
    }

    static class KeyWithoutText {
        @DistributedLock(name = "x", keys = "#order")
        public void buy(Order order) {}
    }

    static class TemplateWithoutText {
        @DistributedLock("x:#{#order.parent}")
        public void buy(Order order) {}
    }

    static class ArrayKey {
        @DistributedLock(name = "x", keys = "#ids")
        public void buy(String[] ids) {}
    }

    static class RootItself {
        @DistributedLock("x:#{#root}")
        public void buy(String root) {}
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
    void resultsWhoseEndCannotBeTold() {
        assertMistake(Suspending.class, "suspend function", "executeAsync");
        assertMistake(Later.class, "returns Callable", "CompletableFuture");
        assertMistake(Lazy.class, "returns Stream", "what has been computed");
        assertMistake(Deferred.class, "returns DeferredResult", "CompletableFuture");
        assertMistake(Streaming.class, "returns StreamingResponseBody", "method that does the work");
        assertMistake(MonoInside.class, "a ResponseEntity of Mono", "a Mono or a Flux of the ResponseEntity");
        assertMistake(StreamInside.class, "a CompletableFuture of Stream", "what has been computed");
        assertMistake(OwnStage.class, "returns Stage", "CompletionStage");
        assertMistake(BoundToCallable.class, "returns Callable", "CompletableFuture");
    }

    @Test
    void keysWithoutAText() {
        assertMistake(KeyWithoutText.class, "'#order' is a " + Order.class.getName(), "#order.id");
        assertMistake(TemplateWithoutText.class, "'#order.parent' is a " + Order.class.getName(), "#order.parent.id");
        assertMistake(ArrayKey.class, "'#ids' is an array (java.lang.String[])", "#ids[0]");
        assertMistake(RootItself.class, "'#root' is a", "toString()");
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
