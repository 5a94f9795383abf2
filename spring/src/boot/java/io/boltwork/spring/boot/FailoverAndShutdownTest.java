// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.boltwork.ClientClosedException;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.annotation.DistributedLock;
import io.boltwork.redis.RedisBackend;
import io.boltwork.spring.LockTemplate;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.server.SentinelGroup;
import io.boltwork.testkit.wait.Await;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;

/** The loss of a master, and the end of an application that holds locks. */
@ExtendWith(OutputCaptureExtension.class)
class FailoverAndShutdownTest {

    @Test
    void locksWorkOnTheNextMaster() {
        try (SentinelGroup group = SentinelGroup.start();
                ConfigurableApplicationContext application = run(
                        "spring.data.redis.sentinel.master=" + SentinelGroup.NAME,
                        "spring.data.redis.sentinel.nodes="
                                + group.sentinels().stream()
                                        .map(each -> each.host() + ":" + each.port())
                                        .collect(Collectors.joining(",")))) {
            Stock stock = application.getBean(Stock.class);
            long token = stock.take("1001", null);
            RedisServer master = group.master(group.sentinels().get(0));
            master.kill();
            group.awaitOther(master);
            assertThat(stock.take("1001", null)).isGreaterThan(token);
            assertThat(application.getBean(LockTemplate.class).execute("stock:1001", () -> "done"))
                    .isEqualTo("done");
        }
    }

    @Test
    void shutdownReleasesLocksAfterTheWork(CapturedOutput output) throws Exception {
        try (RedisServer redis = RedisServer.start();
                LockClient other = LockClient.create(RedisBackend.connect(redis.uri()))) {
            ConfigurableApplicationContext application = run("spring.data.redis.port=" + redis.port());
            Stock stock = application.getBean(Stock.class);
            LockClient locks = application.getBean(LockClient.class);
            ThreadPoolTaskExecutor workers = application.getBean(ThreadPoolTaskExecutor.class);
            CountDownLatch inside = new CountDownLatch(1);
            CompletableFuture<Boolean> held = workers.submitCompletable(() ->
                    stock.work(inside, () -> workers.getThreadPoolExecutor().isShutdown()));
            assertThat(inside.await(60, TimeUnit.SECONDS)).isTrue();
            Lease kept = locks.lock("kept").acquire();
            application.close();
            assertThat(held.get(5, TimeUnit.SECONDS))
                    .as("the lock during the shutdown")
                    .isTrue();
            assertThat(kept.isValid()).isFalse();
            assertThat(other.lock("stock:1002").isLocked()).isFalse();
            assertThat(other.lock("kept").isLocked()).isFalse();
            assertThatExceptionOfType(ClientClosedException.class)
                    .isThrownBy(() -> locks.lock("kept").acquire());
        }
        assertThat(output.getOut()).contains(" INFO ").doesNotContain(" ERROR ");
    }

    private static ConfigurableApplicationContext run(String... properties) {
        return new SpringApplicationBuilder(App.class)
                .web(WebApplicationType.NONE)
                .properties("spring.main.banner-mode=off")
                .properties(properties)
                .run();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Stock.class)
    static class App {
        @Bean
        ThreadPoolTaskExecutor workers() {
            ThreadPoolTaskExecutor executor = new ThreadPoolTaskExecutor();
            executor.setWaitForTasksToCompleteOnShutdown(true);
            executor.setAwaitTerminationSeconds(60);
            return executor;
        }
    }

    static class Stock {
        private final LockClient locks;

        Stock(LockClient locks) {
            this.locks = locks;
        }

        @DistributedLock("stock:#{#item}")
        public long take(String item, Lease lease) {
            return lease.fencingToken();
        }

        /** Returns whether the lock is still held when the condition is met. */
        @DistributedLock("stock:1002")
        public boolean work(CountDownLatch inside, BooleanSupplier until) {
            inside.countDown();
            Await.until("the application shuts down", until);
            return locks.lock("stock:1002").isHeldByCurrentThread();
        }
    }
}
