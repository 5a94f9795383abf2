// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.annotation.DistributedLock;
import io.boltwork.annotation.LockInterruptedException;
import io.boltwork.memory.MemoryBackend;
import io.boltwork.redis.RedisBackend;
import io.boltwork.spring.BoltworkLockRegistry;
import io.boltwork.spring.ClientOptionsCustomizer;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Await;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.integration.leader.DefaultCandidate;
import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;
import reactor.core.publisher.Mono;

/** Tests the log of an application that ends while methods hold locks and wait for locks. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
@ExtendWith(OutputCaptureExtension.class)
class ShutdownLogTest {
    private static final String AWAIT = "spring.task.scheduling.shutdown.await-termination=true";

    /** Spring logs this after it has waited for methods in vain. */
    private static final String TIMED_OUT = "Timed out while waiting for executor 'taskScheduler' to terminate";

    /** Returns kinds of applications; without {@code -Dboltwork.proof=true}, only those with servlets. */
    static Stream<Arguments> applications() {
        boolean all = Boolean.getBoolean("boltwork.proof");
        return Stream.of(WebApplicationType.values())
                .filter(type -> all || type == WebApplicationType.SERVLET)
                .flatMap(type -> Stream.of(
                        Arguments.of(type, "spring.task.scheduling.shutdown.await-termination=false"),
                        Arguments.of(type, AWAIT)));
    }

    @ParameterizedTest
    @MethodSource("applications")
    void noWarningAndNoErrorAtShutdown(WebApplicationType type, String property, CapturedOutput output)
            throws Exception {
        try (RedisServer redis = RedisServer.start("--appendonly", "yes");
                LockClient other = LockClient.create(RedisBackend.connect(redis.uri()));
                Lease taken = other.lock("taken").acquire()) {
            ConfigurableApplicationContext application = start(type, redis, property);
            List<ExecutorService> executors = executors(application);
            awaitWork(application);
            application.close();
            for (ExecutorService executor : executors) {
                assertThat(executor.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
            }
            assertThat(taken.isValid()).isTrue();
        }
        assertThat(output.getOut()).contains(" INFO ");
        assertThat(output.getOut().lines().filter(line -> line.contains(" WARN ") || line.contains(" ERROR ")))
                .allMatch(line -> property.equals(AWAIT) && line.contains(TIMED_OUT));
        assertThat(output.getErr()).doesNotContain("WARN", "SEVERE", "Exception");
    }

    @ParameterizedTest
    @MethodSource("applications")
    void noErrorIfRedisEndsFirst(WebApplicationType type, String property, CapturedOutput output) throws Exception {
        try (RedisServer redis = RedisServer.start("--appendonly", "yes");
                LockClient other = LockClient.create(RedisBackend.connect(redis.uri()));
                Lease taken = other.lock("taken").acquire()) {
            ConfigurableApplicationContext application = start(type, redis, property, "boltwork.shutdown-time=1s");
            List<ExecutorService> executors = executors(application);
            awaitWork(application);
            assertThat(taken.isValid()).isTrue();
            redis.stop();
            Await.until(
                    "the client notices the outage",
                    () -> !application.getBean(LockClient.class).isConnected());
            application.close();
            for (ExecutorService executor : executors) {
                assertThat(executor.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
            }
            redis.restart();
        }
        assertThat(output.getOut()).contains(" INFO ").doesNotContain(" ERROR ");
    }

    /** A scheduler's interrupt is an error unless the application ends. */
    @Test
    void interruptedMethodIsLoggedWhileTheApplicationRuns(CapturedOutput output) throws Exception {
        try (RedisServer redis = RedisServer.start("--appendonly", "yes");
                LockClient other = LockClient.create(RedisBackend.connect(redis.uri()));
                Lease taken = other.lock("taken").acquire();
                ConfigurableApplicationContext application = start(WebApplicationType.NONE, redis)) {
            awaitWork(application);
            application
                    .getBean(ThreadPoolTaskScheduler.class)
                    .getScheduledThreadPoolExecutor()
                    .shutdownNow();
            Await.until(
                    "the interrupt is logged",
                    () -> output.getOut().contains(LockInterruptedException.class.getSimpleName()));
            assertThat(taken.isValid()).isTrue();
        }
    }

    /** Without a scheduler bean, Spring creates a scheduler that ends with the processor of scheduled methods. */
    @Test
    void noWarningAndNoErrorWithoutASchedulerBean(CapturedOutput output) throws Exception {
        ExecutorService callbacks = Executors.newCachedThreadPool();
        List<LockClient> others = new ArrayList<>();
        new ApplicationContextRunner()
                .withConfiguration(
                        AutoConfigurations.of(BoltworkAutoConfiguration.class, DistributedLockAutoConfiguration.class))
                .withPropertyValues("boltwork.backend=memory")
                .withUserConfiguration(Plain.class)
                .withBean(ClientOptionsCustomizer.class, () -> options -> options.withCallbackExecutor(callbacks))
                .run(context -> {
                    LockClient locks = context.getBean(LockClient.class);
                    others.add(LockClient.create(MemoryBackend.on(
                            context.getBean(MemoryBackend.class).server())));
                    others.get(0).lock("taken").lock();
                    Await.until("the method waits", () -> locks.waiting() == 1);
                });
        others.get(0).close();
        callbacks.shutdown();
        assertThat(callbacks.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
        assertThat(output.getOut()).doesNotContain("WARN", "ERROR");
    }

    @Configuration(proxyBeanMethods = false)
    @EnableScheduling
    static class Plain {
        @Bean
        Later later() {
            return new Later();
        }
    }

    static class Later {
        @Scheduled(initialDelay = 300, fixedDelay = 1)
        @DistributedLock("taken")
        public Mono<String> reactive() {
            return Mono.just("done");
        }
    }

    private static void awaitWork(ConfigurableApplicationContext application) throws Exception {
        LockClient locks = application.getBean(LockClient.class);
        application.getBean(Jobs.class).asynchronous();
        assertThat(application.getBean(Marks.class).running.await(60, TimeUnit.SECONDS))
                .isTrue();
        Await.until("four methods wait", () -> locks.waiting() >= 4);
    }

    private static List<ExecutorService> executors(ConfigurableApplicationContext application) {
        return List.of(
                application.getBean(ThreadPoolTaskScheduler.class).getScheduledThreadPoolExecutor(),
                application.getBean(ThreadPoolTaskExecutor.class).getThreadPoolExecutor());
    }

    private static ConfigurableApplicationContext start(
            WebApplicationType type, RedisServer redis, String... properties) {
        return new SpringApplicationBuilder(App.class)
                .web(type)
                .properties(
                        "server.port=0",
                        "spring.main.banner-mode=off",
                        "spring.task.scheduling.pool.size=8",
                        "spring.task.scheduling.shutdown.await-termination-period=1s",
                        "spring.lifecycle.timeout-per-shutdown-phase=1s",
                        "spring.data.redis.client-type=lettuce", // Jedis is on the class path, too
                        "spring.data.redis.port=" + redis.port())
                .properties(properties)
                .run();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration(excludeName = "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration")
    @EnableScheduling
    @EnableAsync
    static class App {
        @Bean
        Marks marks() {
            return new Marks();
        }

        @Bean
        Jobs jobs(Marks marks) {
            return new Jobs(marks);
        }

        @Bean
        LockRegistryLeaderInitiator leader(BoltworkLockRegistry registry) {
            return new LockRegistryLeaderInitiator(registry, new DefaultCandidate("me", "leader"));
        }
    }

    static class Marks {
        final CountDownLatch running = new CountDownLatch(1);
        final CountDownLatch ending = new CountDownLatch(1);

        @EventListener
        void on(ContextClosedEvent event) {
            ending.countDown();
        }
    }

    /** One method runs until the application ends, and four methods wait. */
    static class Jobs {
        private final Marks marks;

        Jobs(Marks marks) {
            this.marks = marks;
        }

        @Scheduled(fixedDelay = 1)
        @DistributedLock("running")
        public void running() throws InterruptedException {
            marks.running.countDown();
            marks.ending.await();
        }

        @Scheduled(fixedDelay = 1)
        @DistributedLock("taken")
        public void waiting() {}

        @Scheduled(fixedDelay = 1)
        @DistributedLock("taken")
        public void waitingForInterrupts() throws InterruptedException {
            marks.ending.await();
        }

        @Scheduled(fixedDelay = 1)
        @DistributedLock("taken")
        public Mono<String> reactive() {
            return Mono.just("done");
        }

        @Async
        @DistributedLock("taken")
        public void asynchronous() {}
    }
}
