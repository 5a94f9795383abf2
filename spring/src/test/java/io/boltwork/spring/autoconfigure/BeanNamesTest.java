// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.autoconfigure;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import io.boltwork.spring.LockTemplate;
import io.boltwork.spring.actuate.LocksEndpoint;
import io.boltwork.spring.actuate.LocksHealthIndicator;
import io.boltwork.spring.actuate.LocksWebEndpoint;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.stereotype.Component;

/** An application may have beans of any name that does not begin with {@code boltwork}. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class BeanNamesTest {

    private static final ArchCondition<JavaMethod> HAVE_THE_PREFIX =
            new ArchCondition<>("have a name that begins with 'boltwork'") {
                @Override
                public void check(JavaMethod method, ConditionEvents events) {
                    String[] given = AnnotatedElementUtils.getMergedAnnotation(method.reflect(), Bean.class)
                            .name();
                    for (String name : given.length == 0 ? new String[] {method.getName()} : given) {
                        events.add(new SimpleConditionEvent(
                                method, name.startsWith("boltwork"), name + " in " + method.getFullName()));
                    }
                }
            };

    @Test
    void namesOfAllBeansBeginWithBoltwork() {
        methods()
                .that()
                .areAnnotatedWith(Bean.class)
                .should(HAVE_THE_PREFIX)
                .check(new ClassFileImporter()
                        .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                        .importPackages("io.boltwork.spring"));
    }

    @Component("lockTemplate")
    static class OwnTemplate {}

    @Component("lockClient")
    static class OwnClient {}

    @Component("lockRegistry")
    static class OwnRegistry {}

    @Component("lockGroups")
    static class OwnGroups {}

    @Component("lockErrorAdvice")
    static class OwnAdvice {}

    @Component("locksEndpoint")
    static class OwnEndpoint {}

    @Component("locksWebEndpoint")
    static class OwnWebEndpoint {}

    @Component("locksHealthIndicator")
    static class OwnHealth {}

    @Configuration(proxyBeanMethods = false)
    static class OwnBeans {
        @Bean
        String lockInterceptor() {
            return "mine";
        }

        @Bean
        String lockAdvisor() {
            return "mine";
        }

        @Bean
        MeterRegistry meters() {
            return new SimpleMeterRegistry();
        }
    }

    @EnableAutoConfiguration
    static class Application {}

    @Test
    void applicationMayHaveBeansOfTheSameNamesWithoutThePrefix() {
        List<Class<?>> own = List.of(
                OwnTemplate.class,
                OwnClient.class,
                OwnRegistry.class,
                OwnGroups.class,
                OwnAdvice.class,
                OwnEndpoint.class,
                OwnWebEndpoint.class,
                OwnHealth.class,
                OwnBeans.class);
        try (ConfigurableApplicationContext context = new SpringApplicationBuilder(
                        Stream.concat(Stream.of(Application.class), own.stream())
                                .toArray(Class<?>[]::new))
                .web(WebApplicationType.SERVLET)
                .run(
                        "--server.port=0",
                        "--boltwork.backend=memory",
                        "--management.endpoints.web.exposure.include=locks,health",
                        "--spring.datasource.url=jdbc:h2:mem:names",
                        "--spring.main.banner-mode=off")) {
            own.forEach(type -> assertThat(context.getBeansOfType(type)).hasSize(1));
            assertThat(context.getBean(LockTemplate.class).execute("name", () -> "held"))
                    .isEqualTo("held");
            assertThat(context.getBean(LocksEndpoint.class)).isNotNull();
            assertThat(context.getBean(LocksWebEndpoint.class)).isNotNull();
            assertThat(context.getBean(LocksHealthIndicator.class)).isNotNull();
        }
    }
}
