// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.bench;

import io.boltwork.FencedLock;
import io.boltwork.LockClient;
import io.boltwork.annotation.DistributedLock;
import io.boltwork.spring.LockTemplate;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/**
 * Measures {@link DistributedLock} against the plain lock on a backend in memory, with and without observations. One
 * thread.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class AdviceBenchmark {

    /** An application with Boltwork alone. */
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration(
            excludeName = {
                "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
                "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration"
            })
    @Import(Work.class)
    public static class App {}

    /** A method with almost no work. */
    public static class Work {
        private int done;

        /** Without a lock. */
        public int plain(String id) {
            return done += id.length();
        }

        /** With a constant name. */
        @DistributedLock("work:1001")
        public int literal(String id) {
            return done += id.length();
        }

        /** With a computed name. */
        @DistributedLock("work:#{#id}")
        public int computed(String id) {
            return done += id.length();
        }
    }

    /** True if the application has a registry of observations, as with Spring Boot's actuator. */
    @Param({"false", "true"})
    public boolean observed;

    private final String id = "1001";
    private ConfigurableApplicationContext application;
    private ObservationRegistry registry;
    private LockTemplate template;
    private Work work;
    private FencedLock lock;

    @Setup
    public void open() {
        application = new SpringApplicationBuilder(App.class)
                .web(WebApplicationType.NONE)
                .properties("boltwork.backend=memory", "spring.main.banner-mode=off", "logging.level.root=warn")
                .properties(
                        observed ? "" : "spring.autoconfigure.exclude=" + ObservationAutoConfiguration.class.getName())
                .run();
        registry =
                application.getBeanProvider(ObservationRegistry.class).getIfAvailable(() -> ObservationRegistry.NOOP);
        template = application.getBean(LockTemplate.class);
        work = application.getBean(Work.class);
        lock = application.getBean(LockClient.class).lock("work:1001");
    }

    @TearDown
    public void close() {
        application.close();
    }

    @Benchmark
    public int plainLock() {
        lock.lock();
        try {
            return work.plain(id);
        } finally {
            lock.unlock();
        }
    }

    /** The plain lock with an observation from request to answer, as in the advice. */
    @Benchmark
    public int observedByHand() throws InterruptedException {
        Observation observation = Observation.createNotStarted("by.hand", registry)
                .contextualName("lock work")
                .lowCardinalityKeyValue("group", "work")
                .highCardinalityKeyValue("name", lock.name())
                .start();
        try {
            lock.lockInterruptibly();
            observation.lowCardinalityKeyValue("outcome", "granted");
        } finally {
            observation.stop();
        }
        try {
            return work.plain(id);
        } finally {
            lock.unlock();
        }
    }

    @Benchmark
    public int literalName() {
        return work.literal(id);
    }

    @Benchmark
    public int computedName() {
        return work.computed(id);
    }

    @Benchmark
    public int lockTemplate() {
        return template.execute("work:1001", () -> work.plain(id));
    }
}
