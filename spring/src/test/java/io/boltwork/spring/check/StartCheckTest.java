// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.annotation.CurrentLease;
import io.boltwork.annotation.DistributedLock;
import io.boltwork.annotation.LockMode;
import io.boltwork.annotation.LockRefusedException;
import io.boltwork.annotation.OnRefused;
import io.boltwork.spring.Counter;
import io.boltwork.spring.TestApplication;
import io.boltwork.spring.autoconfigure.LockFailureAnalyzer;
import io.boltwork.spring.operation.LockOperationSource;
import java.lang.reflect.Proxy;
import java.util.List;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.ProxyType;
import org.springframework.context.annotation.Proxyable;
import org.springframework.core.Ordered;
import org.springframework.core.PriorityOrdered;

/** The check at start accepts annotations that work, and refuses those that do not. */
class StartCheckTest {

    private static ApplicationContextRunner runner() {
        return TestApplication.memory();
    }

    /** Uses proxies of classes, as Spring Boot does by default. */
    private static ApplicationContextRunner proxiesOfClasses() {
        return runner().withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class));
    }

    interface Mapper {
        @DistributedLock("mapped:#{#item}")
        String map(String item);

        @DistributedLock
        String unnamed();

        @DistributedLock(name = "mapped", mode = LockMode.TRY, onRefused = OnRefused.FALLBACK, fallback = "instead")
        String tried();

        default String instead() {
            return "instead";
        }
    }

    private static Mapper generated() {
        return (Mapper) Proxy.newProxyInstance(
                Mapper.class.getClassLoader(),
                new Class<?>[] {Mapper.class},
                (proxy, method, arguments) -> method.getName().equals("instead")
                        ? "instead"
                        : CurrentLease.get().lockName());
    }

    @Test
    void generatedProxiesOfAnnotatedInterfacesAreLocked() {
        proxiesOfClasses()
                .withBean(Mapper.class, StartCheckTest::generated)
                .withBean(Counter.class, () -> () -> CurrentLease.get().lockName())
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    Mapper mapper = context.getBean(Mapper.class);
                    assertThat(mapper.map("7")).isEqualTo("mapped:7");
                    assertThat(mapper.unnamed()).isEqualTo(Mapper.class.getName() + ".unnamed");
                    try (Lease lease = TestApplication.elsewhere(context.getBean(LockClient.class), "mapped")) {
                        assertThat(mapper.tried()).isEqualTo("instead");
                    }
                    assertThat(context.getBean(Counter.class).count()).isEqualTo("counter");
                });
    }

    interface Named {
        @DistributedLock("named:#{#item}:#{#list.size()}")
        String named(String item, List<String> list);
    }

    static class NamedBean implements Named {
        @Override
        public String named(String i, List<String> all) {
            return CurrentLease.get().lockName();
        }
    }

    @Test
    void interfaceNamesItsOwnParameters() {
        runner().withBean(NamedBean.class).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(context.getBean(Named.class).named("7", List.of("a"))).isEqualTo("named:7:1");
        });
    }

    static class Support {
        public final void prepare() {}

        public String inherited() {
            return CurrentLease.find().isPresent() ? "locked" : "not locked";
        }
    }

    @DistributedLock("whole")
    static class Whole extends Support {
        public String own() {
            return inherited();
        }

        @Override
        public boolean equals(Object other) {
            throw new IllegalStateException();
        }

        @Override
        public int hashCode() {
            return inherited().equals("locked") ? 1 : 0;
        }

        @Override
        public String toString() {
            return inherited();
        }
    }

    @Test
    void classAnnotationSkipsFinalAndInheritedMethods() {
        proxiesOfClasses().withBean(Whole.class).run(context -> {
            assertThat(context).hasNotFailed();
            Whole whole = context.getBean(Whole.class);
            assertThat(whole.own()).isEqualTo("locked");
            assertThat(whole.inherited()).isEqualTo("locked");
            assertThat(whole.toString()).isEqualTo("not locked");
            assertThat(context.getBean(LockOperationSource.class).find(Whole.class.getMethod("hashCode"), Whole.class))
                    .isNull();
            assertThat(context.getBean(LockOperationSource.class)
                            .find(Whole.class.getMethod("equals", Object.class), Whole.class))
                    .isNull();
        });
    }

    interface Visible {
        String seen();
    }

    @DistributedLock("partly")
    static class Partly implements Visible {
        @Override
        public String seen() {
            return CurrentLease.get().lockName();
        }

        public String unseen() {
            return "";
        }
    }

    static class Closing implements DisposableBean {
        @DistributedLock("closing")
        public String run() {
            return CurrentLease.get().lockName();
        }

        @Override
        public void destroy() {}
    }

    @Test
    void interfaceProxiesWithUnlockableMethodsAreAllowed() {
        runner().withPropertyValues("spring.aop.proxy-target-class=false")
                .withBean(Partly.class)
                .withBean(Closing.class)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    Visible visible = context.getBean(Visible.class);
                    assertThat(AopUtils.isJdkDynamicProxy(visible)).isTrue();
                    assertThat(visible.seen()).isEqualTo("partly");
                    assertThat(context.getBean(Closing.class).run()).isEqualTo("closing");
                });
    }

    static class LockedOutside implements Visible {
        @Override
        public String seen() {
            return "";
        }

        @DistributedLock("outside")
        public String unseen() {
            return CurrentLease.get().lockName();
        }
    }

    @Proxyable(ProxyType.TARGET_CLASS)
    static class OutsideByClass extends LockedOutside {}

    @Proxyable(ProxyType.INTERFACES)
    static class OutsideByInterfaces extends LockedOutside {}

    @Proxyable(ProxyType.INTERFACES)
    static class PartlyByInterfaces extends Partly {}

    @Proxyable(ProxyType.INTERFACES)
    static class WithoutInterfaces {
        @DistributedLock("without")
        public String run() {
            return CurrentLease.get().lockName();
        }
    }

    /** Spring itself requests a proxy of such a class. */
    @Proxyable(ProxyType.INTERFACES)
    @Configuration
    static class ConfigurationOutside extends LockedOutside {
        @Bean
        String text() {
            return "";
        }
    }

    /** Spring makes proxies of these classes, although they request proxies of their interfaces. */
    @Test
    void requestForInterfacesIsIgnoredWhereSpringIgnoresIt() {
        runner().withUserConfiguration(WithoutInterfaces.class, ConfigurationOutside.class)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(context.getBean(WithoutInterfaces.class).run()).isEqualTo("without");
                    assertThat(context.getBean(ConfigurationOutside.class).unseen())
                            .isEqualTo("outside");
                });
    }

    @Test
    void beanMayRequestAProxyOfItsClass() {
        runner().withUserConfiguration(OutsideByClass.class).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(context.getBean(OutsideByClass.class).unseen()).isEqualTo("outside");
        });
    }

    @Test
    void beanMayRequestAProxyOfItsInterfaces() {
        proxiesOfClasses()
                .withUserConfiguration(PartlyByInterfaces.class)
                .run(context -> assertThat(AopUtils.isJdkDynamicProxy(context.getBean(Visible.class)))
                        .isTrue());
        proxiesOfClasses().withUserConfiguration(OutsideByInterfaces.class).run(context -> {
            assertThat(context).hasFailed();
            assertMistake(context.getStartupFailure(), "LockedOutside.unseen()", "in none of the interfaces");
        });
    }

    @DistributedLock(name = "whole", mode = LockMode.TRY, onRefused = OnRefused.FALLBACK, fallback = "busy")
    static class WholeWithFallback {
        public String run(String item) {
            return item;
        }

        public String busy(String item, LockRefusedException refused) {
            return "busy";
        }
    }

    @Test
    void fallbackOfAClassAnnotationIsNotLocked() {
        proxiesOfClasses().withBean(WholeWithFallback.class).run(context -> {
            assertThat(context).hasNotFailed();
            try (Lease lease = TestApplication.elsewhere(context.getBean(LockClient.class), "whole")) {
                assertThat(context.getBean(WholeWithFallback.class).run("x")).isEqualTo("busy");
            }
        });
    }

    static class Early {
        @DistributedLock("early")
        public void buy() {}
    }

    @Configuration(proxyBeanMethods = false)
    static class TooEarly {
        @Bean
        Early early() {
            return new Early();
        }

        @Bean
        static Processor processor(Early early) {
            return new Processor(early);
        }

        record Processor(Early early) implements BeanPostProcessor, PriorityOrdered {
            @Override
            public int getOrder() {
                return HIGHEST_PRECEDENCE;
            }
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class LateEnough {
        @Bean
        Early early() {
            return new Early();
        }

        @Bean
        static TooEarly.Processor processor(@Lazy Early early) {
            return new TooEarly.Processor(early);
        }
    }

    @Test
    void beanCreatedTooEarlyIsRefused() {
        runner().withUserConfiguration(TooEarly.class).run(context -> {
            assertThat(context).hasFailed();
            assertMistake(
                    context.getStartupFailure(),
                    "@DistributedLock(name = \"early\")",
                    "Early.buy()",
                    "the bean 'early'",
                    "required by [processor]");
        });
        runner().withUserConfiguration(LateEnough.class)
                .run(context -> assertThat(context).hasNotFailed());
    }

    /** Another post-processor makes a proxy for the early bean. This proxy acquires no locks. */
    @Configuration(proxyBeanMethods = false)
    static class TooEarlyWithAnotherProxy {
        @Bean
        Early early() {
            return new Early();
        }

        @Bean
        static Proxies proxies() {
            return new Proxies();
        }

        @Bean
        static Processor processor(Early early) {
            return new Processor(early);
        }

        record Proxies() implements BeanPostProcessor, PriorityOrdered {
            @Override
            public int getOrder() {
                return LOWEST_PRECEDENCE;
            }

            @Override
            public Object postProcessAfterInitialization(Object bean, String name) {
                if (!(bean instanceof Early)) {
                    return bean;
                }
                ProxyFactory proxy = new ProxyFactory(bean);
                proxy.setProxyTargetClass(true);
                proxy.addAdvice((MethodInterceptor) MethodInvocation::proceed);
                return proxy.getProxy();
            }
        }

        record Processor(Early early) implements BeanPostProcessor, Ordered {
            @Override
            public int getOrder() {
                return HIGHEST_PRECEDENCE;
            }
        }
    }

    @Test
    void earlyBeanWithAnotherProxyIsRefused() {
        runner().withUserConfiguration(TooEarlyWithAnotherProxy.class).run(context -> {
            assertThat(context).hasFailed();
            assertMistake(context.getStartupFailure(), "the bean 'early'", "required by [processor]");
        });
    }

    @Test
    void finishedObjectIsRefused() {
        runner().withInitializer(context -> context.getBeanFactory().registerSingleton("finished", new Early()))
                .run(context -> {
                    assertThat(context).hasFailed();
                    assertMistake(context.getStartupFailure(), "the bean 'finished'", "finished object");
                });
    }

    static class Cycle {
        @Lazy
        private final Cycle self;

        Cycle(@Lazy Cycle self) {
            this.self = self;
        }

        @DistributedLock("cycle")
        public String held() {
            return CurrentLease.get().lockName();
        }

        public String through() {
            return self.held();
        }
    }

    @Test
    void selfReferencesAreLocked() {
        proxiesOfClasses().withBean(Cycle.class).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(context.getBean(Cycle.class).through()).isEqualTo("cycle");
            assertThatExceptionOfType(IllegalStateException.class).isThrownBy(CurrentLease::ensureHeld);
        });
    }

    @Test
    void overrideByPropertyIsNoMistake() {
        runner().withBean(WholeWithFallback.class)
                .withPropertyValues("boltwork.lock.names.whole.on-refused=throw")
                .run(context -> assertThat(context).hasNotFailed());
    }

    private static void assertMistake(Throwable failure, String... parts) {
        FailureAnalysis analysis = new LockFailureAnalyzer().analyze(failure);
        assertThat(analysis).isNotNull();
        assertThat(analysis.getDescription()).contains(parts);
    }
}
