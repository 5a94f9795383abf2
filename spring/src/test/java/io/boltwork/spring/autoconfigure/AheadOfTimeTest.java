// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.annotation.DistributedLock;
import io.boltwork.annotation.OnRefused;
import io.boltwork.spring.actuate.LocksEndpoint;
import io.boltwork.spring.actuate.LocksWebEndpoint;
import io.boltwork.spring.properties.BoltworkProperties;
import io.boltwork.spring.properties.SpringRedisProperties;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.aot.generate.ClassNameGenerator;
import org.springframework.aot.generate.DefaultGenerationContext;
import org.springframework.aot.generate.GeneratedFiles;
import org.springframework.aot.generate.InMemoryGeneratedFiles;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.javapoet.ClassName;

/** The hints of an application that is processed ahead of time, as for a native image. */
class AheadOfTimeTest {
    private static RuntimeHints hints;
    private static InMemoryGeneratedFiles files;
    private static AnnotationConfigApplicationContext context;

    static class Till {
        @DistributedLock(name = "buy:#{#item}", onRefused = OnRefused.FALLBACK, fallback = "busy")
        public String buy(String item) {
            return item;
        }

        String busy(String item) {
            return item;
        }
    }

    @BeforeAll
    static void process() {
        context = new AnnotationConfigApplicationContext();
        TestPropertyValues.of(
                        "boltwork.clients.orders.backend=memory",
                        "management.endpoints.web.exposure.include=locks",
                        "management.endpoints.jmx.exposure.include=locks")
                .applyTo(context);
        for (Class<?> configuration : List.of(
                EndpointAutoConfiguration.class,
                BoltworkAutoConfiguration.class,
                DistributedLockAutoConfiguration.class,
                BoltworkActuatorAutoConfiguration.class,
                BoltworkIntegrationAutoConfiguration.class)) {
            context.register(configuration);
        }
        context.registerBean(Till.class);
        files = new InMemoryGeneratedFiles();
        DefaultGenerationContext generation =
                new DefaultGenerationContext(new ClassNameGenerator(ClassName.get(AheadOfTimeTest.class)), files);
        new ApplicationContextAotGenerator().processAheadOfTime(context, generation);
        generation.writeGeneratedContent();
        hints = generation.getRuntimeHints();
    }

    @AfterAll
    static void close() {
        context.close();
    }

    @Test
    void beansOfFurtherClientsKeepTheirQualifier() throws Exception {
        StringBuilder code = new StringBuilder();
        for (String file : files.getGeneratedFiles(GeneratedFiles.Kind.SOURCE).keySet()) {
            code.append(files.getGeneratedFileContent(GeneratedFiles.Kind.SOURCE, file));
        }
        for (String bean : List.of("ordersLockClient", "ordersLockTemplate", "ordersLockRegistry")) {
            assertThat(code).contains("\"" + bean + "\"");
        }
        assertThat(code)
                .contains("setDefaultCandidate(false)", "AutowireCandidateQualifier(\"" + Qualifier.class.getName());
    }

    @Test
    void boundTypesKeepTheirConstructors() {
        for (Class<?> bound : List.of(
                BoltworkProperties.class,
                BoltworkProperties.Redis.class,
                BoltworkProperties.Server.class,
                BoltworkProperties.LockOverride.class,
                SpringRedisProperties.class,
                SpringRedisProperties.Sentinel.class,
                SpringRedisProperties.Nodes.class,
                SpringRedisProperties.Ssl.class)) {
            assertThat(RuntimeHintsPredicates.reflection().onConstructorInvocation(bound.getDeclaredConstructors()[0]))
                    .as(bound.getName())
                    .accepts(hints);
        }
    }

    @Test
    void recordsOfTheEndpointCanBeWritten() throws Exception {
        for (Class<?> written : List.of(
                LocksEndpoint.Locks.class,
                LocksEndpoint.LockLine.class,
                LocksEndpoint.Lock.class,
                LocksEndpoint.Holder.class,
                LocksEndpoint.Waiting.class,
                LocksEndpoint.Forced.class)) {
            String first = written.getRecordComponents()[0].getName();
            assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(written, first))
                    .as(written.getName())
                    .accepts(hints);
        }
        for (String operation : List.of("list", "describe", "forceRelease", "forceReleaseByName")) {
            assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(LocksWebEndpoint.class, operation))
                    .as(operation)
                    .accepts(hints);
        }
    }

    @Test
    void hintsIncludeAnnotationsAndScripts() throws Exception {
        assertThat(RuntimeHintsPredicates.reflection()
                        .onMethodInvocation(Till.class.getDeclaredMethod("busy", String.class)))
                .accepts(hints);
        assertThat(RuntimeHintsPredicates.resource().forResource("io/boltwork/redis/acquire.lua"))
                .accepts(hints);
    }
}
