// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.operation;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.LockOptions;
import io.boltwork.Replication;
import io.boltwork.annotation.DistributedLock;
import io.boltwork.annotation.LockMode;
import io.boltwork.annotation.LockRelease;
import io.boltwork.annotation.LockType;
import io.boltwork.annotation.OnLost;
import io.boltwork.annotation.OnRefused;
import io.boltwork.annotation.OnUnavailable;
import io.boltwork.annotation.operation.LockMethod;
import io.boltwork.annotation.operation.LockOperation;
import io.boltwork.annotation.operation.LockOperationParser;
import io.boltwork.annotation.text.LockText;
import io.boltwork.spring.acquire.ClientBeans;
import io.boltwork.spring.acquire.SpringTransactions;
import io.boltwork.spring.call.ReactiveTypes;
import io.boltwork.spring.properties.BoltworkProperties;
import io.boltwork.spring.text.LockExpressions;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.core.annotation.AliasFor;

/** Tests how an annotation's attributes, those of its class, and the defaults are merged. */
class MergedAnnotationTest {
    private static LockOperationSource source;

    @BeforeAll
    static void make() {
        source = source(Map.of(
                "boltwork.lock.type", "fair",
                "boltwork.lock.wait-for", "7s",
                "boltwork.lock.renewed-lease", "50s",
                "boltwork.lock.on-lost", "interrupt"));
    }

    private static LockOperationSource source(Map<String, String> values) {
        DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
        BoltworkProperties properties = new Binder(new MapConfigurationPropertySource(values))
                .bindOrCreate("boltwork", BoltworkProperties.class);
        return new LockOperationSource(new LockOperationParser(
                new LockExpressions(beans)::of,
                new ClientBeans(beans, () -> {
                    throw new IllegalStateException("no client is needed");
                }),
                ReactiveTypes.INSTANCE,
                SpringTransactions.INSTANCE,
                client -> properties.of(client).lock().settings(),
                properties.lock().overrides()));
    }

    private static LockOperation find(LockOperationSource in, Class<?> type, String name) {
        Method method = Arrays.stream(type.getMethods())
                .filter(each -> each.getName().equals(name))
                .findFirst()
                .orElseThrow();
        return in.find(method, type).operations().get(0);
    }

    private static LockOperation find(Class<?> type, String name) {
        return find(source, type, name);
    }

    private static String name(LockOperation operation) {
        return operation.name().texts().stream().map(LockText::literal).collect(Collectors.joining(":"));
    }

    @DistributedLock(
            name = "class",
            keys = "#id",
            waitFor = "2s",
            lease = "9s",
            minHold = "1s",
            type = LockType.REENTRANT,
            onRefused = OnRefused.FALLBACK,
            fallback = "busy",
            onLost = OnLost.IGNORE,
            order = 3)
    static class Merged {
        public void all(int id) {}

        @DistributedLock("own")
        public void named(int id) {}

        @DistributedLock(keys = "#other")
        public void keyed(int other) {}

        @DistributedLock(renewedLease = "20s", waitTime = 1, type = LockType.FAIR)
        public void timed(int id) {}

        @DistributedLock(onRefused = OnRefused.THROW)
        public void thrown(int id) {}

        @ByName("composed")
        public void composed(int id) {}

        @DistributedLock("one")
        @DistributedLock(name = "two", waitFor = "5s")
        public void several(int id) {}

        void busy(int id) {}
    }

    @Retention(RetentionPolicy.RUNTIME)
    @DistributedLock(waitFor = "4s")
    @interface ByName {
        @AliasFor(annotation = DistributedLock.class, attribute = "name")
        String value();

        @AliasFor(annotation = DistributedLock.class, attribute = "mode")
        LockMode mode() default LockMode.DEFAULT;
    }

    @Retention(RetentionPolicy.RUNTIME)
    @DistributedLock("inside")
    @interface Renamed {
        @AliasFor(annotation = DistributedLock.class, attribute = "name")
        String name() default "inside";
    }

    @Retention(RetentionPolicy.RUNTIME)
    @DistributedLock(name = "inside")
    @interface Revalued {
        @AliasFor(annotation = DistributedLock.class, attribute = "value")
        String name() default "";
    }

    @DistributedLock(value = "class", keys = "#p0")
    static class Composed {
        @Renamed
        public void inside(int id) {}

        @Renamed(name = "outside")
        public void outside(int id) {}

        @Revalued
        public void kept(int id) {}

        @Revalued(name = "changed")
        public void changed(int id) {}

        @DistributedLock(order = 1)
        public void ofClass(int id) {}
    }

    @Test
    void composedAnnotationsNameTheLockByEitherAttribute() {
        assertThat(Stream.of("inside", "outside", "kept", "changed", "ofClass")
                        .map(method -> name(find(Composed.class, method))))
                .containsExactly("inside", "outside", "inside", "changed", "class:#p0");
    }

    @Test
    void methodInheritsOmittedAttributesFromItsClass() {
        LockOperation all = find(Merged.class, "all");
        LockOperation named = find(Merged.class, "named");
        assertThat(name(all)).isEqualTo("class:#id");
        assertThat(name(named)).isEqualTo("own");
        assertThat(named.options()).isEqualTo(all.options());
        assertThat(named.waitFor()).isEqualTo(Duration.ofSeconds(2));
        assertThat(named.onRefused()).isEqualTo(OnRefused.FALLBACK);
        assertThat(named.ignoreLoss()).isTrue();
        assertThat(named.order()).isEqualTo(3);
        assertThat(name(find(Merged.class, "keyed"))).isEqualTo("class:#other");
    }

    @Test
    void relatedAttributesAreOverriddenTogether() {
        LockOperation timed = find(Merged.class, "timed");
        assertThat(timed.options())
                .isEqualTo(LockOptions.renewedLease(Duration.ofSeconds(20))
                        .withMinHold(Duration.ofSeconds(1))
                        .withFairness(LockOptions.Fairness.FIFO));
        assertThat(timed.waitFor()).isEqualTo(Duration.ofSeconds(1));
        LockOperation thrown = find(Merged.class, "thrown");
        assertThat(thrown.onRefused()).isEqualTo(OnRefused.THROW);
        assertThat(thrown.fallbacks()).isNull();
    }

    @Test
    void composedAndRepeatedAnnotationsAreMergedToo() {
        LockOperation composed = find(Merged.class, "composed");
        assertThat(name(composed)).isEqualTo("composed");
        assertThat(composed.waitFor()).isEqualTo(Duration.ofSeconds(4));
        assertThat(composed.onRefused()).isEqualTo(OnRefused.FALLBACK);
        LockMethod several = source.find(
                Arrays.stream(Merged.class.getMethods())
                        .filter(each -> each.getName().equals("several"))
                        .findFirst()
                        .orElseThrow(),
                Merged.class);
        assertThat(several.operations()).extracting(MergedAnnotationTest::name).containsExactly("one", "two");
        assertThat(several.operations())
                .extracting(LockOperation::waitFor)
                .containsExactly(Duration.ofSeconds(2), Duration.ofSeconds(5));
    }

    @DistributedLock(name = "one", waitFor = "2s", onRefused = OnRefused.RETURN_NULL)
    @DistributedLock(name = "two", waitFor = "3s")
    static class SeveralOnTheClass {
        public void all() {}

        @DistributedLock("own")
        public void own() {}
    }

    /** It would be unclear which one of the class's annotations is meant. */
    @Test
    void methodTakesNothingFromSeveralAnnotationsOfItsClass() throws Exception {
        LockOperationSource standard = source(Map.of());
        LockOperation own = find(standard, SeveralOnTheClass.class, "own");
        assertThat(own.waitFor()).isNull();
        assertThat(own.onRefused()).isEqualTo(OnRefused.DEFAULT);
        assertThat(standard.find(SeveralOnTheClass.class.getMethod("own"), SeveralOnTheClass.class)
                        .operations())
                .extracting(MergedAnnotationTest::name)
                .containsExactly("own");
        assertThat(standard.find(SeveralOnTheClass.class.getMethod("all"), SeveralOnTheClass.class)
                        .operations())
                .extracting(MergedAnnotationTest::name)
                .containsExactly("one", "two");
    }

    static class Plain {
        @DistributedLock("plain")
        public void plain() {}

        @DistributedLock(name = "plain", lease = "3s", type = LockType.REENTRANT, onLost = OnLost.THROW)
        public void own() {}

        @DistributedLock("later")
        public CompletableFuture<String> later() {
            throw new IllegalStateException();
        }
    }

    @Test
    void defaultsApplyToOmittedAttributes() {
        LockOperation plain = find(Plain.class, "plain");
        LockOptions options = LockOptions.renewedLease(Duration.ofSeconds(50)).withFairness(LockOptions.Fairness.FIFO);
        assertThat(plain.options()).isEqualTo(options.withOnLoss(LockOptions.OnLoss.INTERRUPT));
        assertThat(plain.waitFor()).isEqualTo(Duration.ofSeconds(7));
        assertThat(find(Plain.class, "own").options()).isEqualTo(LockOptions.fixedLease(Duration.ofSeconds(3)));
        assertThat(find(Plain.class, "later").options()).isEqualTo(options);
    }

    @Test
    void withoutDefaultsAnnotationsStayUnchanged() {
        LockOperation plain = find(source(Map.of()), Plain.class, "plain");
        assertThat(plain.options()).isEqualTo(LockOptions.defaults());
        assertThat(plain.waitFor()).isNull();
        assertThat(plain.mode()).isEqualTo(LockMode.LOCK);
        assertThat(plain.onRefused()).isEqualTo(OnRefused.DEFAULT);
        assertThat(plain.onUnavailable()).isEqualTo(OnUnavailable.THROW);
    }

    static class Options {
        @DistributedLock(
                name = "all",
                renewedLease = "45s",
                minHold = "1s",
                maxHold = "10m",
                takeoverDelay = "3s",
                type = LockType.FAIR,
                release = LockRelease.SENT,
                replication = "2",
                replicationWithin = "200ms",
                onLost = OnLost.INTERRUPT)
        public void all() {}

        @DistributedLock(name = "disk", replication = "disk", replicationWithin = "1s")
        public void onDisk() {}

        @DistributedLock(name = "retained", renewedLease = "5s", retention = "2s")
        public void retained() {}

        @DistributedLock(name = "none", replication = "none")
        public void none() {}
    }

    @Test
    void everyOptionOfCoreIsReached() {
        LockOptions expected = LockOptions.renewedLease(Duration.ofSeconds(45))
                .withMinHold(Duration.ofSeconds(1))
                .withMaxHold(Duration.ofMinutes(10))
                .withTakeoverDelay(Duration.ofSeconds(3))
                .withFairness(LockOptions.Fairness.FIFO)
                .withRelease(LockOptions.Release.SENT)
                .withReplication(Replication.atLeast(2, Duration.ofMillis(200)))
                .withOnLoss(LockOptions.OnLoss.INTERRUPT);
        LockOperationSource standard = source(Map.of());
        assertThat(find(standard, Options.class, "all").options()).isEqualTo(expected);
        assertThat(find(standard, Options.class, "onDisk").options())
                .isEqualTo(LockOptions.defaults().withReplication(Replication.onDisk(Duration.ofSeconds(1))));
        assertThat(find(standard, Options.class, "retained").options())
                .isEqualTo(LockOptions.renewedLease(Duration.ofSeconds(5)).withRetention(Duration.ofSeconds(2)));
        assertThat(find(standard, Options.class, "none").options()).isEqualTo(LockOptions.defaults());
        Set<String> known = Set.of(
                "withRenewedLease",
                "withFixedLease",
                "withMinHold",
                "withMaxHold",
                "withTakeoverDelay",
                "withFairness",
                "withRelease",
                "withReplication",
                "withRetention",
                "withOnLoss");
        assertThat(Arrays.stream(LockOptions.class.getMethods()).map(Method::getName))
                .as("options of core that no annotation sets")
                .filteredOn(each -> each.startsWith("with"))
                .allMatch(known::contains);
    }
}
