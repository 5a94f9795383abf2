// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.annotation.DistributedLock;
import io.boltwork.annotation.LockType;
import io.boltwork.memory.MemoryBackend;
import io.boltwork.spring.LockTemplate;
import io.boltwork.spring.LogOfLocks;
import io.boltwork.testkit.wait.Await;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.concurrent.ConcurrentTaskExecutor;
import org.springframework.scheduling.concurrent.ForkJoinPoolFactoryBean;
import org.springframework.scheduling.concurrent.SimpleAsyncTaskScheduler;
import org.springframework.scheduling.concurrent.ThreadPoolExecutorFactoryBean;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** A client is closed only after work that continues in a shutdown has released its locks, or has had its time. */
@ExtendWith(OutputCaptureExtension.class)
class ShutdownWaitTest {
    private static final String LIMIT = "spring.lifecycle.timeout-per-shutdown-phase";

    /** Work that begins when the application ends, and takes no notice of interrupts. */
    static class Work {
        /** Spring itself waits for the work of these, in a phase that ends before beans are destroyed. */
        private static final Set<String> AWAITED = Set.of(
                "poolExecutor", "executorOfFactory", "taskScheduler", "applicationTaskExecutor", "async", "scheduled");

        private final CountDownLatch ending = new CountDownLatch(1);
        final Map<String, CountDownLatch> begun = new LinkedHashMap<>();
        final Map<String, CountDownLatch> done = new LinkedHashMap<>();

        @EventListener
        void on(ContextClosedEvent event) {
            ending.countDown();
        }

        synchronized CountDownLatch begun(String name) {
            return begun.computeIfAbsent(name, n -> new CountDownLatch(1));
        }

        synchronized CountDownLatch done(String name) {
            return done.computeIfAbsent(name, n -> new CountDownLatch(1));
        }

        void run(String name) {
            begun(name).countDown();
            await(ending);
            long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(AWAITED.contains(name) ? 50 : 300);
            while (System.nanoTime() < end) {
                Thread.onSpinWait();
                Thread.yield();
            }
            done(name).countDown();
        }

        private static void await(CountDownLatch latch) {
            while (true) {
                try {
                    latch.await();
                    return;
                } catch (InterruptedException ignored) {
                    Thread.yield();
                }
            }
        }
    }

    /** Locked methods. */
    static class Jobs {
        private final Work work;

        Jobs(Work work) {
            this.work = work;
        }

        @DistributedLock("#name")
        public void locked(String name) {
            work.run(name);
        }

        @DistributedLock(name = "#name", lease = "50s")
        public void fixed(String name) {
            work.run(name);
        }

        @DistributedLock(name = "#name", type = LockType.READ)
        public void reads(String name) {
            work.run(name);
        }

        @DistributedLock(name = "#name", permits = 1)
        public void permitted(String name) {
            work.run(name);
        }

        @DistributedLock("#name")
        public CompletableFuture<Void> later(String name) {
            return CompletableFuture.runAsync(() -> work.run(name));
        }

        @Async
        @DistributedLock("async")
        public void async() {
            work.run("async");
        }

        @Scheduled(fixedDelay = 1_000_000)
        @DistributedLock("scheduled")
        public void scheduled() {
            work.run("scheduled");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAsync
    @EnableScheduling
    static class App {
        @Bean
        Work work() {
            return new Work();
        }

        @Bean
        Jobs jobs(Work work) {
            return new Jobs(work);
        }

        @Bean
        ThreadPoolTaskExecutor poolExecutor() {
            return new ThreadPoolTaskExecutor();
        }

        @Bean(defaultCandidate = false)
        ThreadPoolTaskExecutor poolExecutorThatAccepts() {
            ThreadPoolTaskExecutor executor = new ThreadPoolTaskExecutor();
            executor.setAcceptTasksAfterContextClose(true);
            return executor;
        }

        @Bean
        ThreadPoolTaskScheduler taskScheduler() {
            ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
            scheduler.setPoolSize(2);
            return scheduler;
        }

        @Bean(defaultCandidate = false)
        SimpleAsyncTaskScheduler simpleScheduler() {
            return new SimpleAsyncTaskScheduler();
        }

        @Bean(defaultCandidate = false)
        SimpleAsyncTaskExecutor simpleExecutor() {
            return new SimpleAsyncTaskExecutor();
        }

        @Bean(defaultCandidate = false)
        ConcurrentTaskExecutor adapter() {
            return new ConcurrentTaskExecutor(Executors.newCachedThreadPool());
        }

        @Bean(defaultCandidate = false)
        ExecutorService executorService() {
            return Executors.newFixedThreadPool(8);
        }

        @Bean(defaultCandidate = false)
        ScheduledExecutorService scheduledService() {
            return Executors.newSingleThreadScheduledExecutor();
        }

        @Bean(defaultCandidate = false)
        ForkJoinPool forkJoinPool() {
            return new ForkJoinPool(1);
        }

        @Bean(defaultCandidate = false)
        ThreadPoolExecutorFactoryBean executorOfFactory() {
            return new ThreadPoolExecutorFactoryBean();
        }

        @Bean(defaultCandidate = false)
        ForkJoinPoolFactoryBean poolOfFactory() {
            return new ForkJoinPoolFactoryBean();
        }

        @Bean(defaultCandidate = false)
        @Lazy
        ExecutorService lazyService() {
            return Executors.newSingleThreadExecutor();
        }

        @Bean
        Listening listener(LockTemplate locks, Work work) {
            return new Listening(locks, work);
        }
    }

    /** A listener of messages that gives up its thread when it is stopped. */
    static class Listening implements SmartLifecycle {
        private final LockTemplate locks;
        private final Work work;
        private volatile Thread thread;

        Listening(LockTemplate locks, Work work) {
            this.locks = locks;
            this.work = work;
        }

        @Override
        public void start() {
            thread = new Thread(() -> locks.execute("listener", () -> {
                work.run("listener");
                return true;
            }));
            thread.start();
        }

        @Override
        public void stop() {
            thread.interrupt();
            thread = null;
        }

        @Override
        public boolean isRunning() {
            return thread != null;
        }
    }

    /** Starts one job in each way, and returns their names. */
    private static List<String> start(ApplicationContext context) {
        LockClient locks = context.getBean(LockClient.class);
        Work work = context.getBean(Work.class);
        Jobs jobs = context.getBean(Jobs.class);
        ExecutorService pool = context.getBean("executorService", ExecutorService.class);
        for (String name : context.getBeanNamesForType(Executor.class, true, true)) {
            FencedLock lock = locks.lock(name);
            context.getBean(name, Executor.class).execute(() -> {
                lock.lock();
                try {
                    work.run(name);
                } finally {
                    lock.unlock();
                }
            });
            work.begun(name);
        }
        pool.execute(() -> jobs.locked("locked"));
        pool.execute(() -> jobs.fixed("fixed"));
        pool.execute(() -> jobs.reads("reads"));
        pool.execute(() -> jobs.permitted("permitted"));
        pool.execute(jobs::async);
        jobs.later("later");
        List.of("locked", "fixed", "reads", "permitted", "later", "listener", "async", "scheduled")
                .forEach(work::begun);
        List<String> names = List.copyOf(work.begun.keySet());
        names.forEach(name -> Work.await(work.begun(name)));
        return names;
    }

    /** Returns whether the work had been done when another client got the lock. */
    private static CompletableFuture<Boolean> next(LockClient other, Work work, String name) {
        FencedLock lock = name.equals("reads") ? other.readWriteLock(name).writeLock() : other.lock(name);
        Function<Lease, Boolean> look = lease -> {
            boolean done = work.done(name).getCount() == 0;
            lease.releaseAsync();
            return done;
        };
        return (name.equals("permitted") ? other.semaphore(name, 1).acquireAsync() : lock.acquireAsync())
                .thenApply(look)
                .toCompletableFuture();
    }

    @Test
    void otherClientsGetNoLockBeforeItsWorkHasEnded(CapturedOutput output) {
        Map<String, CompletableFuture<Boolean>> next = new LinkedHashMap<>();
        AtomicReference<LockClient> other = new AtomicReference<>();
        application("spring.task.execution.mode=force")
                .withUserConfiguration(App.class)
                .run(context -> {
                    other.set(another(context));
                    Work work = context.getBean(Work.class);
                    start(context).forEach(name -> next.put(name, next(other.get(), work, name)));
                });
        assertThat(next).hasSizeGreaterThan(15);
        next.forEach((name, done) ->
                assertThat(done.orTimeout(20, TimeUnit.SECONDS).join()).as(name).isTrue());
        other.get().close();
        assertThat(output.getAll()).doesNotContain("WARN", "LeaseLostException");
    }

    private static LockClient another(ApplicationContext context) {
        return LockClient.create(
                MemoryBackend.on(context.getBean(MemoryBackend.class).server()));
    }

    @Configuration(proxyBeanMethods = false)
    static class Stubborn {
        @Bean
        ExecutorService pool() {
            return Executors.newCachedThreadPool();
        }

        @Bean
        StubbornJob job() {
            return new StubbornJob();
        }
    }

    static class StubbornJob {
        @DistributedLock("#name")
        public String run(String name, CountDownLatch end) {
            Work.await(end);
            return "done";
        }
    }

    @Test
    void holdersThatAreCutOffAreToldAndLoggedInOneLine() {
        CountDownLatch end = new CountDownLatch(1);
        List<Future<String>> cutOff = new ArrayList<>();
        LogOfLocks log = new LogOfLocks();
        application(LIMIT + "=100ms").withUserConfiguration(Stubborn.class).run(context -> {
            StubbornJob job = context.getBean(StubbornJob.class);
            ExecutorService pool = context.getBean(ExecutorService.class);
            LockClient locks = context.getBean(LockClient.class);
            for (int i = 0; i < 7; i++) {
                String name = "job-" + i;
                cutOff.add(pool.submit(() -> job.run(name, end)));
            }
            Await.until("all locks are held", () -> locks.held() == 7);
            cutOff.add(pool.submit(() -> job.run("job-0", end)));
            Await.until("a method waits", () -> locks.waiting() == 1);
        });
        log.close();
        end.countDown();
        assertThat(cutOff)
                .extracting(each -> failure(each).getClass().getSimpleName())
                .containsOnlyOnce("ClientClosedException")
                .filteredOn("LeaseLostException"::equals)
                .hasSize(7);
        assertThat(log.entries)
                .singleElement()
                .asString()
                .contains("'job-", " and 2 more (holders: 7)", "LeaseLostException (CLOSED)", "callers (1)");
    }

    private static Throwable failure(Future<String> future) {
        return catchThrowable(() -> future.get(20, TimeUnit.SECONDS)).getCause();
    }

    @Test
    void locksOfTheClosingThreadAreNotWaitedFor(CapturedOutput output) {
        application().run(context -> {
            context.getBean(LockClient.class).lock("own").lock();
            assertThat(context).hasNotFailed();
        });
        assertThat(output.getAll()).doesNotContain("still held");
    }

    private static ApplicationContextRunner application(String... properties) {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        TaskExecutionAutoConfiguration.class,
                        BoltworkAutoConfiguration.class,
                        DistributedLockAutoConfiguration.class))
                .withPropertyValues("boltwork.backend=memory")
                .withPropertyValues(properties);
    }

    @EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
    @ParameterizedTest
    @ValueSource(strings = {"graceful", "immediate"})
    void requestsKeepTheirLocks(String shutdown) {
        ConfigurableApplicationContext context = new SpringApplicationBuilder(Shop.class)
                .properties("server.port=0", "boltwork.backend=memory", "server.shutdown=" + shutdown)
                .run();
        Work work = context.getBean(Work.class);
        CompletableFuture<Boolean> next;
        CompletableFuture<HttpResponse<Void>> response = HttpClient.newHttpClient()
                .sendAsync(
                        HttpRequest.newBuilder(URI.create("http://localhost:"
                                        + context.getEnvironment().getProperty("local.server.port") + "/"))
                                .build(),
                        HttpResponse.BodyHandlers.discarding());
        Work.await(work.begun("request"));
        try (LockClient other = another(context)) {
            next = next(other, work, "request");
            context.close();
            assertThat(next.orTimeout(20, TimeUnit.SECONDS).join()).isTrue();
        }
        assertThat(response.handle((answer, failure) -> failure == null ? answer.statusCode() : 0)
                        .orTimeout(20, TimeUnit.SECONDS)
                        .join())
                .isEqualTo(shutdown.equals("graceful") ? 200 : 0);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration(excludeName = "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration")
    @Import(Controller.class)
    static class Shop {
        @Bean
        Work work() {
            return new Work();
        }
    }

    @RestController
    static class Controller {
        private final Work work;

        Controller(Work work) {
            this.work = work;
        }

        @GetMapping("/")
        @DistributedLock("request")
        public void get() {
            work.run("request");
        }
    }
}
