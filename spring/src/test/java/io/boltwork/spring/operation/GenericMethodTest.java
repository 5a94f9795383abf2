// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.operation;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.annotation.CurrentLease;
import io.boltwork.annotation.DistributedLock;
import io.boltwork.annotation.LockMode;
import io.boltwork.annotation.OnRefused;
import io.boltwork.spring.TestApplication;
import io.boltwork.spring.autoconfigure.LockFailureAnalyzer;
import io.boltwork.spring.elsewhere.HiddenMethod;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Test;
import org.springframework.aop.support.AopUtils;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/** A method is locked however it is called: on its class, or through a generic interface or superclass. */
class GenericMethodTest {

    private static String held() {
        return CurrentLease.find().map(Lease::lockName).orElse("none");
    }

    record Order(String id) {}

    interface Handler<C> {
        String handle(C command);
    }

    static class OnMethod implements Handler<Order> {
        @Override
        @DistributedLock("order:#{#command.id}")
        public String handle(Order command) {
            return held();
        }
    }

    @DistributedLock("class:#{#command.id}")
    static class OnClass implements Handler<Order> {
        @Override
        public String handle(Order command) {
            return held();
        }
    }

    interface AnnotatedHandler<C> {
        @DistributedLock("declared:#{#command}")
        String handle(C command);
    }

    /** Has other names for its parameters than the interface. */
    static class OnInterface implements AnnotatedHandler<String> {
        @Override
        public String handle(String text) {
            return held();
        }
    }

    @DistributedLock("all:#{#command}")
    interface WholeHandler<C> {
        String handle(C command);
    }

    static class OnWholeInterface implements WholeHandler<String> {
        @Override
        public String handle(String text) {
            return held();
        }
    }

    interface ListHandler<C> extends Handler<List<C>> {}

    static class Nested implements ListHandler<Order> {
        @Override
        @DistributedLock("nested:#{#commands.size()}")
        public String handle(List<Order> commands) {
            return held();
        }
    }

    static class Arrays<C> {
        public String handle(C[] commands) {
            return "?";
        }
    }

    static class OfArrays extends Arrays<String> {
        @Override
        @DistributedLock("array:#{#all.length}")
        public String handle(String[] all) {
            return held();
        }
    }

    abstract static class Numbers<N extends Number> implements Handler<N> {
        @Override
        public abstract String handle(N number);
    }

    abstract static class MoreNumbers<N extends Number & Comparable<N>> extends Numbers<N> {}

    static class OfIntegers extends MoreNumbers<Integer> {
        @Override
        @DistributedLock("number:#{#number.intValue()}")
        public String handle(Integer number) {
            return held();
        }

        public String handle(Long number) {
            return held();
        }
    }

    static class Template<C> {
        public String run(C command) {
            return "?";
        }

        String inPackage(C command) {
            return "?";
        }

        @DistributedLock("template:#{#command.id}")
        protected String inTemplate(C command) {
            return "?";
        }
    }

    static class OfSuperclass extends Template<Order> {
        @Override
        @DistributedLock("run:#{#order.id}")
        public String run(Order order) {
            return held();
        }

        @Override
        @DistributedLock("package:#{#order.id}")
        String inPackage(Order order) {
            return held();
        }

        @Override
        protected String inTemplate(Order order) {
            return held();
        }
    }

    static class Inherited extends OfSuperclass {}

    static class Base {
        public String handle(String text) {
            return held();
        }
    }

    /** The annotated interface is implemented by a method of a class that does not know it. */
    static class Joined extends Base implements AnnotatedHandler<String> {}

    static class JoinedByClass extends Base implements WholeHandler<String> {}

    abstract static class GenericBase<C> implements Handler<C> {
        @Override
        @DistributedLock("base:#{#command.id}")
        public String handle(C command) {
            return held();
        }
    }

    static class OfGenericBase extends GenericBase<Order> {}

    interface Defaults extends Handler<Order> {
        @Override
        @DistributedLock("default:#{#order.id}")
        default String handle(Order order) {
            return held();
        }
    }

    static class OfDefaults implements Defaults {}

    static class Functional implements Function<Order, String> {
        @Override
        @DistributedLock("function:#{#order.id}")
        public String apply(Order order) {
            return held();
        }
    }

    static class Covariant implements Supplier<Object> {
        @Override
        @DistributedLock("supplier")
        public String get() {
            return held();
        }
    }

    interface OrderHandler extends Handler<Order> {
        @Override
        @DistributedLock("generated:#{#order.id}")
        String handle(Order order);
    }

    /** Calls the bean with raw types, as a framework does. */
    private interface Call {
        Object on(Object bean) throws Exception;
    }

    private record Sample(Class<?> type, String lock, Call throughSupertype, Call onClass) {
        @SuppressWarnings({"unchecked", "rawtypes"})
        static Sample handler(Class<?> type, String lock, Object command, Call onClass) {
            return new Sample(type, lock, bean -> ((Handler) bean).handle(command), onClass);
        }
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private static final List<Sample> OF_INTERFACES = List.of(
            Sample.handler(OnMethod.class, "order:7", new Order("7"), on -> ((OnMethod) on).handle(new Order("7"))),
            Sample.handler(OnClass.class, "class:7", new Order("7"), on -> ((OnClass) on).handle(new Order("7"))),
            new Sample(
                    OnInterface.class,
                    "declared:7",
                    on -> ((AnnotatedHandler) on).handle("7"),
                    on -> ((OnInterface) on).handle("7")),
            new Sample(
                    OnWholeInterface.class,
                    "all:7",
                    on -> ((WholeHandler) on).handle("7"),
                    on -> ((OnWholeInterface) on).handle("7")),
            Sample.handler(
                    Nested.class,
                    "nested:1",
                    List.of(new Order("7")),
                    on -> ((Nested) on).handle(List.of(new Order("7")))),
            Sample.handler(OfIntegers.class, "number:7", 7, on -> ((OfIntegers) on).handle(7)),
            new Sample(
                    Joined.class,
                    "declared:7",
                    on -> ((AnnotatedHandler) on).handle("7"),
                    on -> ((Base) on).handle("7")),
            new Sample(
                    JoinedByClass.class, "all:7", on -> ((WholeHandler) on).handle("7"), on -> ((Base) on).handle("7")),
            Sample.handler(
                    OfGenericBase.class, "base:7", new Order("7"), on -> ((OfGenericBase) on).handle(new Order("7"))),
            Sample.handler(OfDefaults.class, "default:7", new Order("7"), on -> ((Defaults) on).handle(new Order("7"))),
            new Sample(
                    Functional.class,
                    "function:7",
                    on -> ((Function) on).apply(new Order("7")),
                    on -> ((Functional) on).apply(new Order("7"))),
            new Sample(Covariant.class, "supplier", on -> ((Supplier) on).get(), on -> ((Covariant) on).get()));

    @SuppressWarnings({"unchecked", "rawtypes"})
    private static final List<Sample> OF_SUPERCLASSES = List.of(
            new Sample(
                    OfArrays.class,
                    "array:1",
                    on -> ((Arrays) on).handle(new String[1]),
                    on -> ((OfArrays) on).handle(new String[1])),
            new Sample(
                    OfIntegers.class, "number:7", on -> ((Numbers) on).handle(7), on -> ((MoreNumbers) on).handle(7)),
            new Sample(
                    OfSuperclass.class,
                    "run:7",
                    on -> ((Template) on).run(new Order("7")),
                    on -> ((OfSuperclass) on).run(new Order("7"))),
            new Sample(
                    Inherited.class,
                    "package:7",
                    on -> ((Template) on).inPackage(new Order("7")),
                    on -> ((Inherited) on).inPackage(new Order("7"))),
            new Sample(
                    Inherited.class,
                    "template:7",
                    on -> ((Template) on).inTemplate(new Order("7")),
                    on -> ((Inherited) on).inTemplate(new Order("7"))),
            new Sample(HiddenMethod.class, "hidden", on -> HiddenMethod.call(on), on -> HiddenMethod.call(on)));

    private static ApplicationContextRunner proxies(boolean ofClasses, List<Sample> samples) {
        ApplicationContextRunner runner = TestApplication.memory()
                .withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class))
                .withPropertyValues("spring.aop.proxy-target-class=" + ofClasses);
        for (Class<?> type : samples.stream().map(Sample::type).collect(Collectors.toSet())) {
            runner = runner.withBean(type.getSimpleName(), type);
        }
        return runner;
    }

    private static void assertLocked(ApplicationContext context, boolean proxyOfClass, Sample sample) throws Exception {
        Object bean = context.getBean(sample.type().getSimpleName());
        assertThat(AopUtils.isJdkDynamicProxy(bean)).isNotEqualTo(proxyOfClass);
        assertThat(sample.throughSupertype().on(bean)).as("through a supertype").isEqualTo(sample.lock());
        if (proxyOfClass) {
            assertThat(sample.onClass().on(bean)).as("on the class").isEqualTo(sample.lock());
        }
    }

    @Test
    void proxiesOfClassesLockEachWayOfCallingAMethod() {
        List<Sample> samples =
                Stream.concat(OF_INTERFACES.stream(), OF_SUPERCLASSES.stream()).toList();
        proxies(true, samples).run(context -> {
            assertThat(context).hasNotFailed();
            SoftAssertions.assertSoftly(softly ->
                    samples.forEach(sample -> softly.assertThatCode(() -> assertLocked(context, true, sample))
                            .as(sample.toString())
                            .doesNotThrowAnyException()));
            assertThat(context.getBean(OfIntegers.class).handle(7L)).isEqualTo("none");
        });
    }

    @Test
    void proxiesOfInterfacesLockMethodsOfGenericInterfaces() {
        proxies(false, OF_INTERFACES).run(context -> {
            assertThat(context).hasNotFailed();
            SoftAssertions.assertSoftly(softly ->
                    OF_INTERFACES.forEach(sample -> softly.assertThatCode(() -> assertLocked(context, false, sample))
                            .as(sample.toString())
                            .doesNotThrowAnyException()));
        });
    }

    static class WithoutText {}

    static class OfUnprintable extends GenericBase<WithoutText> {
        @Override
        @DistributedLock("unprintable:#{#command}")
        public String handle(WithoutText command) {
            return held();
        }
    }

    abstract static class KeyedBase<C> {
        @DistributedLock("keyed:#{#command}")
        public String handle(C command) {
            return held();
        }
    }

    static class OfKeyedBase extends KeyedBase<WithoutText> {}

    interface Final {
        @DistributedLock("final")
        String run();
    }

    @DistributedLock("final")
    interface WholeFinal {
        String run();
    }

    static class FinalBase {
        public final String run() {
            return held();
        }
    }

    static class JoinedFinal extends FinalBase implements Final {}

    static class JoinedWholeFinal extends FinalBase implements WholeFinal {}

    interface Move<C> {
        @DistributedLock("move:#{#from}")
        String move(C from, C to);
    }

    static class Swapped implements Move<String> {
        @Override
        public String move(String to, String from) {
            return held();
        }
    }

    static class FromElsewhere extends HiddenMethod.Base {}

    /**
     * The types of arguments are known where a class sets type parameters, and so are the methods of its interfaces.
     */
    @Test
    void mistakesAreFoundAtTheStart() {
        assertMistake(OfUnprintable.class, "OfUnprintable.handle(WithoutText)", "WithoutText");
        assertMistake(OfKeyedBase.class, "KeyedBase.handle(Object)", "WithoutText");
        assertMistake(Swapped.class, "Swapped.move(String, String)", "#from, which is another parameter");
        assertMistake(JoinedFinal.class, "FinalBase.run()", "is final");
        assertMistake(JoinedWholeFinal.class, "FinalBase.run()", "is final");
        assertMistake(FromElsewhere.class, "Base.inPackage()", "in another package");
    }

    private static void assertMistake(Class<?> type, String... parts) {
        proxies(true, List.of()).withBean(type).run(context -> {
            assertThat(context).hasFailed();
            FailureAnalysis analysis = new LockFailureAnalyzer().analyze(context.getStartupFailure());
            assertThat(analysis).isNotNull();
            assertThat(analysis.getDescription()).contains(parts);
        });
    }

    interface Answering<C> {
        String ask(C question);

        String later(C question);
    }

    /** Its fallback has a lock of its own. */
    static class Answers implements Answering<Order> {
        @Override
        @DistributedLock(name = "ask", mode = LockMode.TRY, onRefused = OnRefused.FALLBACK, fallback = "later")
        public String ask(Order question) {
            return held();
        }

        @Override
        @DistributedLock("later:#{#question.id}")
        public String later(Order question) {
            return held();
        }
    }

    abstract static class AnswersBase<C> {
        @DistributedLock(name = "ask", mode = LockMode.TRY, onRefused = OnRefused.FALLBACK, fallback = "later")
        public String ask(C question) {
            return held();
        }
    }

    static class AnswersOfBase extends AnswersBase<Order> {
        @DistributedLock("later:#{#question.id}")
        public String later(Order question) {
            return held();
        }
    }

    @Test
    @SuppressWarnings("unchecked")
    void fallbackIsCalledThroughTheProxy() {
        for (boolean ofClasses : new boolean[] {true, false}) {
            proxies(ofClasses, List.of())
                    .withBean(Answers.class)
                    .withBean(AnswersOfBase.class)
                    .run(context -> {
                        assertThat(context).hasNotFailed();
                        try (Lease lease = TestApplication.elsewhere(context.getBean(LockClient.class), "ask")) {
                            assertThat(context.getBean(Answering.class).ask(new Order("7")))
                                    .isEqualTo("later:7");
                            assertThat(context.getBean(AnswersOfBase.class).ask(new Order("7")))
                                    .isEqualTo("later:7");
                        }
                    });
        }
    }

    /** The generated class of a lambda has both methods. */
    @Test
    @SuppressWarnings({"unchecked", "rawtypes"})
    void lambdaOfAGenericInterfaceIsLocked() {
        proxies(true, List.of())
                .withBean(OrderHandler.class, () -> order -> held())
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(context.getBean(OrderHandler.class).handle(new Order("7")))
                            .isEqualTo("generated:7");
                    assertThat(((Handler) context.getBean(OrderHandler.class)).handle(new Order("7")))
                            .isEqualTo("generated:7");
                });
    }
}
