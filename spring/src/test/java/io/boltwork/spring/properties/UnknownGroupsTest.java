// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.properties;

import static io.boltwork.spring.TestApplication.assertWrong;
import static io.boltwork.spring.TestApplication.memory;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.Mockito.mock;

import io.boltwork.annotation.DistributedLock;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;

/** Properties of a group that no annotation has stop the start. */
@ExtendWith(OutputCaptureExtension.class)
class UnknownGroupsTest {

    /** A bean with several groups. */
    public static class Shop {
        @DistributedLock("stock:#{#p0}")
        public void buy(String item) {}

        @DistributedLock(name = "x", group = "shop.stock")
        public void count() {}

        @DistributedLock
        public void close() {}

        @DistributedLock(name = "imports", permits = 3)
        public void load() {}
    }

    private static ApplicationContextRunner shop() {
        return memory().withBean(Shop.class);
    }

    @ParameterizedTest
    @CsvSource({
        "stokc, stock",
        "Stock, stock",
        "shop-stock, [shop.stock]",
        "'[shop.stok]', [shop.stock]",
        "'[Shop.clos]', [Shop.close]",
        "report, imports"
    })
    void isRefusedAndTheNearestIsNamed(String group, String nearest) {
        String name = group.startsWith("[") ? group : "." + group;
        shop().withPropertyValues("boltwork.lock.names" + name + ".enabled=false")
                .run(context -> assertThat(context)
                        .getFailure()
                        .isInstanceOfSatisfying(
                                WrongPropertyException.class,
                                wrong -> assertThat(wrong.action())
                                        .contains("The groups are Shop.close, imports, shop.stock, stock."))
                        .hasMessageContaining("No @DistributedLock has this group. The nearest one is"
                                + " boltwork.lock.names" + (nearest.startsWith("[") ? "" : ".") + nearest + "."));
    }

    @Test
    void isRefusedWithoutAnyGroup() {
        memory().withPropertyValues("boltwork.lock.names.stock.wait-for=1s")
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasMessage("boltwork.lock.names.stock: No @DistributedLock has this group."));
    }

    @ParameterizedTest
    @CsvSource({
        "boltwork.lock.names.stock.enabled=false",
        "boltwork.lock.names[shop.stock].enabled=false",
        "boltwork.lock.names[Shop.close].enabled=false",
        "boltwork.lock.names.imports.permits=5",
        "boltwork.lock.names.report.optional=true"
    })
    void groupsOfAnnotationsAndOptionalOnesAreAccepted(String property) {
        shop().withPropertyValues(property).run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void permitsOfAGroupWithoutSemaphoresAreRefused() {
        assertWrong(shop(), "boltwork.lock.names.stock.permits=5", "No @DistributedLock of this group is a semaphore.");
    }

    @Test
    void switchedOffAnnotationsAreNotChecked() {
        memory().withPropertyValues("boltwork.lock.names.report.enabled=false", "boltwork.lock.enabled=false")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void lazyBeansCount() {
        shop().withPropertyValues("boltwork.lock.names.stock.enabled=false", "spring.main.lazy-initialization=true")
                .withInitializer(context ->
                        context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
                .run(context -> assertThat(context).hasNotFailed());
    }

    /** Beans whose classes are not known before they are created. */
    @Configuration(proxyBeanMethods = false)
    static class Later {
        @Bean
        @Lazy
        Supplier<String> lazy() {
            return new Locked();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Prototypes {
        @Bean
        @Scope("prototype")
        Supplier<String> prototype() {
            return new Locked();
        }
    }

    static class Locked implements Supplier<String> {
        @Override
        @DistributedLock("later")
        public String get() {
            return "locked";
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {Later.class, Prototypes.class})
    void beansOfUnknownClassesPreventTheRefusalAndCauseAWarning(Class<?> configuration, CapturedOutput output) {
        memory().withUserConfiguration(configuration)
                .withPropertyValues("boltwork.lock.names.later.enabled=false", "boltwork.lock.names.x.enabled=false")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(output).contains("Nothing has read a property so far: boltwork.lock.names.x: ");
                    assertThat(context.getBean(Supplier.class).get()).isEqualTo("locked");
                });
    }

    /** Spring Boot's own beans are known well enough. */
    @Test
    void isRefusedInAWholeApplication(CapturedOutput output) {
        SpringApplication application = new SpringApplication(Whole.class);
        assertThatExceptionOfType(WrongPropertyException.class)
                .isThrownBy(() -> application.run(
                        "--spring.main.web-application-type=none",
                        "--boltwork.backend=memory",
                        "--spring.main.banner-mode=off",
                        "--boltwork.lock.names.stokc.enabled=false"))
                .withMessageContaining("The nearest one is boltwork.lock.names.stock.");
        assertThat(output)
                .contains("APPLICATION FAILED TO START", "Origin: ", "commandLineArgs")
                .contains("set boltwork.lock.names.stokc.optional=true");
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration(excludeName = "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration")
    static class Whole {
        @Bean
        Shop shop() {
            return new Shop();
        }
    }

    @Test
    void aMockHidesTheClassThatItReplaces() {
        memory().withBean("mock", Runnable.class, () -> mock(Runnable.class))
                .withPropertyValues("boltwork.lock.names.x.enabled=false")
                .run(context -> assertThat(context).hasNotFailed());
        memory().withBean("mock", Shop.class, () -> mock(Shop.class))
                .withPropertyValues("boltwork.lock.names.stock.enabled=false")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void slicesHaveOnlySomeBeans() {
        memory().withPropertyValues("boltwork.lock.names.x.enabled=false", "spring.boot.enableautoconfiguration=false")
                .run(context -> assertThat(context).hasNotFailed());
    }
}
