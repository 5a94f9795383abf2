// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.Lease;
import io.boltwork.annotation.DistributedLock;
import io.boltwork.annotation.LeaseOf;
import io.boltwork.annotation.LockMode;
import io.boltwork.annotation.LockRefusedException;
import io.boltwork.annotation.OnLost;
import io.boltwork.annotation.OnRefused;
import io.boltwork.annotation.OnUnavailable;
import io.boltwork.spring.autoconfigure.BoltworkAutoConfiguration;
import io.boltwork.spring.autoconfigure.DistributedLockAutoConfiguration;
import io.boltwork.spring.autoconfigure.LockFailureAnalyzer;
import java.util.List;
import java.util.Map;
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

/** The start of an application fails if an annotation is wrong. The message names the place and the remedy. */
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

    static class SingleBraces {
        @DistributedLock("stock:{item}")
        public void buy(String item) {}
    }

    static class NumberedBraces {
        @DistributedLock("stock:{0}")
        public void buy(String item) {}
    }

    static class BracesInATemplate {
        @DistributedLock("stock:#{#shop}:{item.length()}")
        public void buy(String shop, String item) {}
    }

    static class SignInATemplate {
        @DistributedLock("stock:#{#shop}:#item")
        public void buy(String shop, String item) {}
    }

    static class KeyWithoutSign {
        @DistributedLock(name = "x", keys = "item")
        public void buy(String item) {}
    }

    static class CallWithoutSign {
        @DistributedLock(name = "x", keys = "shopOf(#item)")
        public void buy(String item) {}
    }

    static class KeyWithoutMeaning {
        @DistributedLock(name = "x", keys = "#item.concat(shop)")
        public void buy(String item) {}
    }

    static class ConditionWithoutSign {
        @DistributedLock(name = "x", condition = "item.length() > 2")
        public void buy(String item) {}
    }

    static class QuotedArgument {
        @DistributedLock("'stock:#item'")
        public void buy(String item) {}
    }

    static class MissingFallbackOfSkip {
        @DistributedLock(name = "x", mode = LockMode.SKIP, onRefused = OnRefused.FALLBACK, fallback = "busy")
        public void buy() {}
    }

    static class UnnamedFallbackOfSkip {
        @DistributedLock(name = "x", mode = LockMode.SKIP, onRefused = OnRefused.FALLBACK)
        public void buy() {}
    }

    static class FallbackForNothing {
        @DistributedLock(name = "x", fallback = "busy")
        public void buy() {}

        public void busy() {}
    }

    static class FallbackOfAnotherException {
        @DistributedLock(name = "x", onUnavailable = OnUnavailable.FALLBACK, fallback = "busy")
        public void buy() {}

        public void busy(LockRefusedException refused) {}
    }

    static class NullOfPrimitiveInAnOutage {
        @DistributedLock(name = "x", onUnavailable = OnUnavailable.RETURN_NULL)
        public int buy() {
            return 0;
        }
    }

    static class LockedEquals {
        @DistributedLock("x")
        @Override
        public boolean equals(Object other) {
            return other == this;
        }

        @Override
        public int hashCode() {
            return 0;
        }
    }

    @DistributedLock("x")
    static class FinalOfItsOwn {
        public final void buy() {}
    }

    static class LeaseOfSeveral {
        @DistributedLock("a")
        @DistributedLock("b")
        public void buy(Lease lease) {}
    }

    static class LeaseOfNone {
        @DistributedLock("a")
        @DistributedLock("b")
        public void buy(@LeaseOf("c") Lease lease) {}
    }

    static class RenewedAndFixed {
        @DistributedLock(name = "x", lease = "5s", renewedLease = "10s")
        public void buy() {}
    }

    static class ReplicationWithoutTime {
        @DistributedLock(name = "x", replication = "1")
        public void buy() {}
    }

    static class ReplicationOfNothing {
        @DistributedLock(name = "x", replication = "some", replicationWithin = "1s")
        public void buy() {}
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

    static class NegativeWait {
        @DistributedLock(name = "x", waitFor = "-5s")
        public void buy() {}
    }

    static class NegativeNumber {
        @DistributedLock(name = "x", waitTime = -5)
        public void buy() {}
    }

    static class NegativeLease {
        @DistributedLock(name = "x", leaseTime = -2)
        public void buy() {}
    }

    static class NegativeWithoutUnit {
        @DistributedLock(name = "x", waitFor = "-5")
        public void buy() {}
    }

    static class NegativeHold {
        @DistributedLock(name = "x", minHold = "PT-1M")
        public void buy() {}
    }

    static class EmptyLease {
        @DistributedLock(name = "x", leaseTime = 0)
        public void buy() {}
    }

    static class EmptyRenewedLease {
        @DistributedLock(name = "x", renewedLease = "0s")
        public void buy() {}
    }

    static class EmptyMaxHold {
        @DistributedLock(name = "x", maxHold = "0s")
        public void buy() {}
    }

    static class EmptyReplication {
        @DistributedLock(name = "x", replication = "1", replicationWithin = "0s")
        public void buy() {}
    }

    static class EmptyRetention {
        @DistributedLock(name = "x", renewedLease = "5s", retention = "0s")
        public void buy() {}
    }

    static class EndlessWait {
        @DistributedLock(name = "x", waitFor = "9223372036854775807d")
        public void buy() {}
    }

    static class EmptyName {
        @DistributedLock("${nobody:}")
        public void buy() {}
    }

    static class LongName {
        @DistributedLock("${long}")
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
        public Object buy(Continuation<? super String> completion) {
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

    interface Shelf {
        void fill();
    }

    static class OutsideItsInterfaces implements Shelf {
        @Override
        public void fill() {}

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
        assertMistake(EmptyName.class, "name must not be empty", "Correct the name");
        assertMistake(LongName.class, "name must be at most 1024 bytes", "Correct the name");
    }

    @Test
    void argumentsTakenLiterallyAreMistakes() {
        assertMistake(SingleBraces.class, "literally, including '{item}'", "stock:#{#item}");
        assertMistake(NumberedBraces.class, "including '{0}'", "stock:#{#p0}");
        assertMistake(BracesInATemplate.class, "including '{item.length()}'", "stock:#{#shop}:#{#item.length()}");
        assertMistake(SignInATemplate.class, "including '#item'", "stock:#{#shop}:#{#item}");
        assertMistake(QuotedArgument.class, "'#item' in quotes", "with +");
    }

    @Test
    void expressionsWithoutTheirSignAreMistakes() {
        assertMistake(KeyWithoutSign.class, "the name 'item' without #", "Write #item for the argument");
        assertMistake(CallWithoutSign.class, "the name 'shopOf' without #", "@name for a bean");
        assertMistake(KeyWithoutMeaning.class, "the name 'shop' without #", "@name for a bean");
        assertMistake(ConditionWithoutSign.class, "the name 'item' without #", "#item");
    }

    static class Works {
        @DistributedLock(
                name = "{shop}:x",
                message = "see #A, {b}: #{1 + 1}",
                keys = {"#map[key]", "#items.![length()]", "{a: 1}", "methodName", "#root.args[0]", "'{0}'"})
        public void buy(Map<String, String> map, List<String> items) {}
    }

    @Test
    void workingTextsAreNoMistakes() {
        runner().withBean(Works.class).run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void leases() {
        assertMistake(LeaseOfSeveral.class, "parameter 0 is a Lease, but the method has several locks", "\"a\", \"b\"");
        assertMistake(LeaseOfNone.class, "@LeaseOf(\"c\") matches none", "\"a\", \"b\"");
        assertMistake(RenewedAndFixed.class, "both a renewed lease", "Remove one of them");
        assertMistake(ReplicationWithoutTime.class, "replicationWithin is missing", "\"200ms\"");
        assertMistake(ReplicationOfNothing.class, "replication = \"some\"", "\"disk\"");
    }

    @Test
    void everyErrorNamesBeanMethodAndAnnotation() {
        assertDescribed(
                ForgottenBraces.class,
                "@DistributedLock(name = \"stock:#item\") on " + ForgottenBraces.class.getName()
                        + ".buy(String) of the bean 'till': ");
        assertDescribed(
                FinalOfItsOwn.class,
                "@DistributedLock(name = \"x\") of " + FinalOfItsOwn.class.getName() + " on "
                        + FinalOfItsOwn.class.getName() + ".buy() of the bean 'till': ");
        assertDescribed(
                Merged.class,
                "@DistributedLock(name = \"#itme\") with @DistributedLock(waitFor = \"2s\") of the class on "
                        + Merged.class.getName() + ".buy(String) of the bean 'till': ");
        assertDescribed(
                LeaseOfSeveral.class,
                "@DistributedLock(name = \"a\") on " + LeaseOfSeveral.class.getName()
                        + ".buy(Lease) of the bean 'till': ");
        assertDescribed(Composed.class, "@Once, which is @DistributedLock(name = \"#itme\", mode = TRY), on ");
    }

    private static void assertDescribed(Class<?> bean, String beginning) {
        runner().withBean("till", bean).run(context -> {
            FailureAnalysis analysis = new LockFailureAnalyzer().analyze(context.getStartupFailure());
            assertThat(analysis.getDescription()).startsWith(beginning);
        });
    }

    @DistributedLock(waitFor = "2s")
    static class Merged {
        @DistributedLock("#itme")
        public void buy(String item) {}
    }

    static class Composed {
        @Once("#itme")
        public void buy(String item) {}
    }

    @Test
    void durations() {
        assertMistake(BothLeases.class, "both leaseTime = 5 and lease = \"5s\"", "Remove one of them");
        assertMistake(BothWaits.class, "both waitTime", "Remove one of them");
        assertMistake(NoUnit.class, "no unit", "30s");
        assertMistake(NegativeWait.class, "waitFor = \"-5s\" is not a duration: '-5s' is negative", "30s");
        assertMistake(NegativeNumber.class, "waitTime = -5 is negative", "omit it");
        assertMistake(NegativeLease.class, "leaseTime = -2 is negative", "omit it");
        assertMistake(NegativeWithoutUnit.class, "'-5' has no unit", "30s");
        assertMistake(NegativeHold.class, "minHold = \"PT-1M\"", "30s");
        assertMistake(EmptyLease.class, "leaseTime: lease must be between 10 ms", "in that range");
        assertMistake(EmptyRenewedLease.class, "renewedLease: lease must be", "in that range");
        assertMistake(EmptyMaxHold.class, "maxHold must be", "fit together");
        assertMistake(EmptyReplication.class, "within must be", "200ms");
        assertMistake(EmptyRetention.class, "retention: ", "fit together");
        assertMistake(EndlessWait.class, "waitFor = \"9223372036854775807d\" is not a duration", "30s");
        assertMistake(HoldsThatDoNotFit.class, "minHold must not be longer than maxHold", "fit together");
    }

    @Test
    void refusalsAndLosses() {
        assertMistake(NoSuchFallback.class, "no such method", "parameters of buy");
        assertMistake(FallbackUnnamed.class, "no fallback is named", "fallback = \"method\"");
        assertMistake(NullOfPrimitive.class, "cannot be null", "Integer");
        assertMistake(InterruptOfStage.class, "CompletableFuture", "whenLost()");
        assertMistake(PlainFuture.class, "returns Future", "CompletableFuture");
        assertMistake(MissingFallbackOfSkip.class, "no such method", "parameters of buy");
        assertMistake(UnnamedFallbackOfSkip.class, "no fallback is named", "fallback = \"method\"");
        assertMistake(FallbackForNothing.class, "without onRefused = FALLBACK or onUnavailable", "OnRefused.FALLBACK");
        assertMistake(FallbackOfAnotherException.class, "accepts a BackendException", "LockException");
        assertMistake(NullOfPrimitiveInAnOutage.class, "onUnavailable = RETURN_NULL", "Integer");
    }

    @Test
    void resultsWithoutAKnownEndAreMistakes() {
        assertMistake(Suspending.class, "suspend function", "kotlinx-coroutines-reactor");
        assertMistake(Later.class, "returns Callable", "CompletableFuture");
        assertMistake(Lazy.class, "returns Stream", "the computed value");
        assertMistake(Deferred.class, "returns DeferredResult", "CompletableFuture");
        assertMistake(Streaming.class, "returns StreamingResponseBody", "method that does the work");
        assertMistake(MonoInside.class, "a ResponseEntity of Mono", "a Mono or a Flux of the ResponseEntity");
        assertMistake(StreamInside.class, "a CompletableFuture of Stream", "the computed value");
        assertMistake(OwnStage.class, "returns Stage", "CompletionStage");
        assertMistake(BoundToCallable.class, "returns Callable", "CompletableFuture");
    }

    @Test
    void methodsThatNoProxyCanLockAreMistakes() {
        assertMistake(FinalMethod.class, "is final", "Remove 'final'");
        assertMistake(PrivateMethod.class, "is private", "public method");
        assertMistake(StaticMethod.class, "is static", "public method");
        assertMistake(FinalClass.class, "final class", "Remove 'final'");
        assertMistake(FinalOfItsOwn.class, "is final", "Remove 'final'");
        assertMistake(OutsideItsInterfaces.class, "in none of the interfaces", "spring.aop.proxy-target-class=true");
    }

    @Test
    void equalsIsAnsweredByProxies() {
        runner().withBean(LockedEquals.class).run(context -> {
            assertThat(context).hasFailed();
            assertThat(context.getStartupFailure())
                    .hasStackTraceContaining("equals(Object)")
                    .hasStackTraceContaining("implemented by the proxies themselves");
        });
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
                .withPropertyValues("boltwork.backend=memory", "long=" + "x".repeat(1_025));
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
