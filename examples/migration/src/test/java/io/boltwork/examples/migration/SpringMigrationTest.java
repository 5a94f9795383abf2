// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.migration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.baomidou.lock.exception.LockFailureException;
import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.redis.RedisBackend;
import io.boltwork.spring.BoltworkLockRegistry;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Slack;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import java.util.stream.IntStream;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.klock.KlockConfiguration;
import org.springframework.boot.autoconfigure.klock.handler.KlockTimeoutException;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;
import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.support.locks.LockRegistry;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/** One Spring Boot application has the locks of all libraries, before and after. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SpringMigrationTest {
    private static final Supplier<Boolean> NO_WORK = () -> false;

    private RedisServer redis;
    private ConfigurableApplicationContext application;
    private LockClient elsewhere;
    private Work work;

    @BeforeAll
    void start() {
        redis = RedisServer.start();
        application = new SpringApplicationBuilder(Shop.class)
                .web(WebApplicationType.NONE)
                .properties(
                        "spring.data.redis.host=" + redis.host(),
                        "spring.data.redis.port=" + redis.port(),
                        "test.redis=" + redis.uri(),
                        "spring.main.banner-mode=off",
                        "logging.level.root=warn")
                .run();
        elsewhere = LockClient.create(RedisBackend.connect(redis.uri()));
        work = application.getBean(Work.class);
    }

    @AfterAll
    void stop() {
        elsewhere.close();
        application.close();
        redis.close();
    }

    @BeforeEach
    void noWork() {
        work.next = NO_WORK;
        work.calls = 0;
    }

    // ================================================================ Spring Integration

    @Test
    void aRegistryExcludesBeforeAndAfter() throws Exception {
        RedisConnectionFactory connections = application.getBean(RedisConnectionFactory.class);
        TaskScheduler scheduler = application.getBean(TaskScheduler.class);
        RedisLockRegistry before = FromSpringIntegration.redisBefore(connections, scheduler);
        RedisLockRegistry beforeElsewhere = FromSpringIntegration.redisBefore(connections, scheduler);
        BoltworkLockRegistry after = FromSpringIntegration.redisAfter(application.getBean(LockClient.class));
        BoltworkLockRegistry afterElsewhere = FromSpringIntegration.redisAfter(elsewhere);
        assertThat(isTakenDuringUse(before, beforeElsewhere)).isTrue();
        assertThat(isTakenDuringUse(after, afterElsewhere)).isTrue();
        before.destroy();
        beforeElsewhere.destroy();
    }

    @Test
    void theStarterMakesARegistry() {
        assertThat(application.getBean(LockRegistry.class)).isInstanceOf(BoltworkLockRegistry.class);
    }

    @Test
    void anInitiatorLeadsWithTheRegistry() throws Exception {
        LockRegistryLeaderInitiator initiator =
                FromSpringIntegration.initiator(FromSpringIntegration.redisAfter(elsewhere));
        initiator.start();
        Await.until("it leads", () -> initiator.getContext().isLeader());
        FencedLock lock = application.getBean(LockClient.class).lock("shop:leader");
        CompletableFuture<Lease> next = lock.acquireAsync().toCompletableFuture();
        assertThat(next).isNotDone();
        elsewhere.inspector().forceRelease("shop:leader");
        Lease taken = next.get(Slack.seconds(10).toMillis(), TimeUnit.MILLISECONDS);
        Await.until("it is told", () -> !initiator.getContext().isLeader());
        taken.release();
        Await.until("it leads again", () -> initiator.getContext().isLeader());
        initiator.destroy();
        Await.until("it has given up", () -> !lock.isLocked());
    }

    @Test
    void twoKeysOfARedisRegistryMayShareALocalLock() {
        String key = "orders";
        String other = IntStream.range(0, 10_000)
                .mapToObj(i -> "key" + i)
                .filter(candidate -> localLock(candidate) == localLock(key))
                .findFirst()
                .orElseThrow();
        RedisLockRegistry before = FromSpringIntegration.redisBefore(
                application.getBean(RedisConnectionFactory.class), application.getBean(TaskScheduler.class));
        BoltworkLockRegistry after = FromSpringIntegration.redisAfter(elsewhere);
        assertThat(isFreeDuringUse(before, key, other)).isFalse();
        assertThat(isFreeDuringUse(after, key, other)).isTrue();
        before.destroy();
    }

    private static int localLock(String key) {
        return ("shop:" + key).hashCode() & 0xFF;
    }

    private static boolean isFreeDuringUse(LockRegistry<DistributedLock> registry, String key, String other) {
        List<Boolean> free = new ArrayList<>();
        DistributedLock held = registry.obtain(key);
        held.lock();
        free.add(onAnotherThread(() -> {
            DistributedLock wanted = registry.obtain(other);
            boolean taken = wanted.tryLock();
            if (taken) {
                wanted.unlock();
            }
            return taken;
        }));
        held.unlock();
        return free.get(0);
    }

    static boolean isTakenDuringUse(LockRegistry<DistributedLock> registry, LockRegistry<DistributedLock> elsewhere) {
        List<Boolean> free = new ArrayList<>();
        FromSpringIntegration.use(
                registry, () -> free.add(elsewhere.obtain("orders").tryLock()));
        DistributedLock later = elsewhere.obtain("orders");
        assertThat(later.tryLock()).isTrue();
        later.unlock();
        return !free.get(0);
    }

    // ================================================================ ShedLock

    @Test
    void aJobRunsOnceAPeriodBeforeAndAfter() {
        FromShedLock.ReportBefore before = application.getBean(FromShedLock.ReportBefore.class);
        FromShedLock.ReportAfter after = application.getBean(FromShedLock.ReportAfter.class);
        FromShedLock.ReportStrict strict = application.getBean(FromShedLock.ReportStrict.class);
        for (int i = 0; i < 2; i++) {
            before.report();
            after.report();
            strict.report();
        }
        assertThat(List.of(before.reports(), after.reports(), strict.reports())).containsExactly(1, 1, 1);
    }

    @Test
    void aLateJobOfShedLockFreesTheLockOfTheNext() {
        LockProvider provider = application.getBean(LockProvider.class);
        SimpleLock late = provider.lock(fiftyMinutes("late")).orElseThrow();
        redis.command("DEL", "job-lock:shop:late"); // as if the 50 minutes were over
        assertThat(provider.lock(fiftyMinutes("late"))).isPresent();
        late.unlock();
        assertThat(provider.lock(fiftyMinutes("late")))
                .as("free, although the second job runs")
                .isPresent();
    }

    private static LockConfiguration fiftyMinutes(String name) {
        return new LockConfiguration(Instant.now(), name, Duration.ofMinutes(50), Duration.ZERO);
    }

    // ================================================================ lock4j

    @Test
    void anAnnotationOfLock4jExcludesBeforeAndAfter() {
        FromLock4j.PurchaseBefore before = application.getBean(FromLock4j.PurchaseBefore.class);
        FromLock4j.PurchaseAfter after = application.getBean(FromLock4j.PurchaseAfter.class);
        work.next = () -> onAnotherThread(() -> isRefused(() -> before.buyAtOnce("1001"), LockFailureException.class));
        assertThat(before.buy("1001")).isTrue();
        work.next = () -> !elsewhere.lock("stock:1001").tryLock();
        assertThat(after.buy("1001")).isTrue();
    }

    @Test
    void aNestedCallOfLock4jIsRefused() {
        FromLock4j.PurchaseBefore before = application.getBean(FromLock4j.PurchaseBefore.class);
        FromLock4j.PurchaseAfter after = application.getBean(FromLock4j.PurchaseAfter.class);
        work.next = () -> isRefused(() -> before.buyAtOnce("1002"), LockFailureException.class);
        assertThat(before.buy("1002")).isTrue();
        work.next = () -> after.buy("1002"); // the inner call has no work
        assertThat(after.buy("1002")).as("the inner call was made").isFalse();
        assertThat(work.calls).isEqualTo(3);
    }

    // ================================================================ klock

    @Test
    void anAnnotationOfKlockExcludesBeforeAndAfter() {
        FromKlock.OrderBefore before = application.getBean(FromKlock.OrderBefore.class);
        FromKlock.OrderAfter after = application.getBean(FromKlock.OrderAfter.class);
        RedissonClient redisson = application.getBean(RedissonClient.class);
        work.next =
                () -> onAnotherThread(() -> !redisson.getLock("lock.order-1001").tryLock());
        assertThat(before.order("1001")).isTrue();
        work.next = () -> !elsewhere.lock("order:1001").tryLock();
        assertThat(after.order("1001")).isTrue();
    }

    @Test
    void klockRunsTheMethodWithoutTheLockUnlessToldOtherwise() {
        FromKlock.OrderBefore before = application.getBean(FromKlock.OrderBefore.class);
        RLock taken = application.getBean(RedissonClient.class).getLock("lock.order-1002");
        assertThat(onAnotherThread(taken::tryLock)).isTrue();
        work.next = () -> true;
        assertThat(before.orderByDefault("1002")).as("the method was called").isTrue();
        assertThat(isRefused(() -> before.order("1002"), KlockTimeoutException.class))
                .as("with FAIL_FAST")
                .isTrue();
        assertThat(work.calls).isEqualTo(1);
        taken.forceUnlock();
    }

    @Test
    void aNestedCallOfKlockFreesTheLockOfTheOuter() {
        FromKlock.OrderBefore before = application.getBean(FromKlock.OrderBefore.class);
        FromKlock.OrderAfter after = application.getBean(FromKlock.OrderAfter.class);
        RLock taken = application.getBean(RedissonClient.class).getLock("lock.order-1003");
        List<Boolean> free = new ArrayList<>();
        work.next = () -> {
            before.order("1003");
            return free.add(onAnotherThread(taken::tryLock));
        };
        assertThatExceptionOfType(NullPointerException.class)
                .as("its aspect has forgotten the outer call")
                .isThrownBy(() -> before.order("1003"));
        work.next = () -> {
            after.order("1003");
            return free.add(elsewhere.lock("order:1003").tryLock());
        };
        assertThat(after.order("1003")).isTrue();
        assertThat(free).containsExactly(true, false);
        taken.forceUnlock();
    }

    private static boolean onAnotherThread(Supplier<Boolean> question) {
        return CompletableFuture.supplyAsync(question, task -> new Thread(task).start())
                .join();
    }

    private static boolean isRefused(Runnable call, Class<? extends RuntimeException> refusal) {
        assertThatExceptionOfType(refusal).isThrownBy(call::run);
        return true;
    }

    /** The work inside the locks; 1 if what the test asks for is true. */
    static final class Work implements ToIntFunction<String> {
        Supplier<Boolean> next = NO_WORK;
        int calls;

        @Override
        public int applyAsInt(String item) {
            calls++;
            Supplier<Boolean> now = next;
            next = NO_WORK;
            return now.get() ? 1 : 0;
        }
    }

    @Configuration
    @EnableAutoConfiguration
    @Import({
        FromShedLock.ShedLockJobs.class,
        FromShedLock.ReportBefore.class,
        FromShedLock.ReportAfter.class,
        FromShedLock.ReportStrict.class,
        FromLock4j.PurchaseBefore.class,
        FromLock4j.PurchaseAfter.class,
        FromKlock.OrderBefore.class,
        FromKlock.OrderAfter.class,
        KlockConfiguration.class // no Spring Boot from 3 on reads klock's spring.factories
    })
    static class Shop {
        @Bean
        Work work() {
            return new Work();
        }

        @Bean
        TaskScheduler taskScheduler() {
            return new ThreadPoolTaskScheduler();
        }

        @Bean(destroyMethod = "shutdown")
        RedissonClient redisson(@Value("${test.redis}") String uri) {
            Config config = new Config();
            config.setThreads(2).setNettyThreads(2);
            config.useSingleServer()
                    .setAddress(uri)
                    .setConnectionMinimumIdleSize(1)
                    .setConnectionPoolSize(4)
                    .setSubscriptionConnectionMinimumIdleSize(1)
                    .setSubscriptionConnectionPoolSize(4);
            return Redisson.create(config);
        }
    }
}
