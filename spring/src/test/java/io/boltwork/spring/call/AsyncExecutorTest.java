// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.annotation.CurrentLease;
import io.boltwork.annotation.DistributedLock;
import io.boltwork.annotation.LockInterruptedException;
import io.boltwork.annotation.LockMode;
import io.boltwork.annotation.OnRefused;
import io.boltwork.spring.TestApplication;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Slack;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadPoolExecutor.CallerRunsPolicy;
import java.util.concurrent.TimeUnit;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.aop.Advisor;
import org.springframework.aop.interceptor.AsyncExecutionInterceptor;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.core.Ordered;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;

/** A method that another advice executes on an executor stays there, with the context that the executor provides. */
class AsyncExecutorTest {
    private static final ThreadLocal<@Nullable String> USER = new ThreadLocal<>();

    @BeforeEach
    void login() {
        USER.set("alice");
    }

    @AfterEach
    void logout() {
        USER.remove();
    }

    /** The thread, user and lock of an execution. */
    private record Place(String thread, @Nullable String user, String lock) {
        static CompletableFuture<Place> here() {
            return CompletableFuture.completedFuture(new Place(
                    Thread.currentThread().getName(),
                    USER.get(),
                    CurrentLease.find().map(Lease::lockName).orElse("none")));
        }
    }

    private static ThreadPoolTaskExecutor mails(int queue) {
        ThreadPoolTaskExecutor mails = new ThreadPoolTaskExecutor();
        mails.setThreadNamePrefix("mails-");
        mails.setCorePoolSize(1);
        mails.setMaxPoolSize(1);
        mails.setQueueCapacity(queue);
        mails.setTaskDecorator(task -> {
            String user = USER.get();
            return () -> {
                String before = USER.get();
                USER.set(user);
                try {
                    task.run();
                } finally {
                    USER.set(before);
                }
            };
        });
        return mails;
    }

    @Configuration
    @EnableAsync
    static class Mails {
        @Bean
        ThreadPoolTaskExecutor mails() {
            return AsyncExecutorTest.mails(10);
        }
    }

    static class Mailer {

        @Async("mails")
        @DistributedLock("mail:#{#to}")
        public CompletableFuture<Place> send(String to) {
            return Place.here();
        }

        @Async("mails")
        @DistributedLock("slow")
        public CompletableFuture<String> slow(CountDownLatch begun, CompletableFuture<String> sent) {
            begun.countDown();
            return sent;
        }

        @Async("mails")
        @DistributedLock(name = "busy", mode = LockMode.TRY, onRefused = OnRefused.FALLBACK, fallback = "later")
        public CompletableFuture<Place> busy() {
            return Place.here();
        }

        CompletableFuture<Place> later() {
            return Place.here();
        }

        @DistributedLock(name = "busy", mode = LockMode.TRY, onRefused = OnRefused.FALLBACK, fallback = "onExecutor")
        public CompletableFuture<Place> onCallbackThread() {
            return Place.here();
        }

        @Async("mails")
        public CompletableFuture<Place> onExecutor() {
            return Place.here();
        }
    }

    /** Its fallback is asynchronous, too. */
    @Async("mails")
    static class AsyncMailer {
        @DistributedLock("mail:#{#to}")
        public CompletableFuture<Place> send(String to) {
            return Place.here();
        }

        @DistributedLock(name = "busy", mode = LockMode.TRY, onRefused = OnRefused.FALLBACK, fallback = "later")
        public CompletableFuture<Place> busy() {
            return Place.here();
        }

        @DistributedLock("later")
        public CompletableFuture<Place> later() {
            return Place.here();
        }
    }

    private static ApplicationContextRunner application(Class<?>... configuration) {
        return TestApplication.memory()
                .withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class))
                .withUserConfiguration(configuration);
    }

    private static void assertOnExecutor(Place place) {
        assertThat(place).isEqualTo(new Place("mails-1", "alice", "mail:bob"));
    }

    private static <T> T get(CompletableFuture<T> later) throws Exception {
        return later.get(Slack.seconds(5).toMillis(), TimeUnit.MILLISECONDS);
    }

    @Test
    void asyncMethodStaysOnItsExecutor() {
        application(Mails.class)
                .withBean(Mailer.class)
                .withBean(AsyncMailer.class)
                .run(context -> {
                    assertOnExecutor(get(context.getBean(Mailer.class).send("bob")));
                    assertOnExecutor(get(context.getBean(AsyncMailer.class).send("bob")));
                });
    }

    @Test
    void asyncMethodWaitsOnItsExecutorAndKeepsTheLockToItsEnd() {
        application(Mails.class).withBean(Mailer.class).run(context -> {
            LockClient locks = context.getBean(LockClient.class);
            Mailer mailer = context.getBean(Mailer.class);
            CompletableFuture<Place> waiting;
            try (Lease lease = TestApplication.elsewhere(locks, "mail:bob")) {
                waiting = mailer.send("bob");
                Await.until("the call waits", () -> locks.waiting() == 1);
                assertThat(waiting).isNotDone();
            }
            assertOnExecutor(get(waiting));
        });
    }

    @Test
    void lockIsHeldUntilTheFutureOfAnAsyncMethodCompletes() {
        application(Mails.class).withBean(Mailer.class).run(context -> {
            LockClient locks = context.getBean(LockClient.class);
            Mailer mailer = context.getBean(Mailer.class);
            CountDownLatch begun = new CountDownLatch(1);
            CompletableFuture<String> sent = new CompletableFuture<>();
            CompletableFuture<String> slow = mailer.slow(begun, sent);
            begun.await();
            assertThat(locks.lock("slow").isLocked()).isTrue();
            sent.complete("sent");
            assertThat(get(slow)).isEqualTo("sent");
            assertThat(locks.lock("slow").isLocked()).isFalse();
        });
    }

    /** The executor has no other thread. */
    @Test
    void fallbackStaysOnTheExecutor() {
        application(Mails.class)
                .withBean(Mailer.class)
                .withBean(AsyncMailer.class)
                .run(context -> {
                    try (Lease lease = TestApplication.elsewhere(context.getBean(LockClient.class), "busy")) {
                        assertThat(get(context.getBean(Mailer.class).busy()))
                                .isEqualTo(new Place("mails-1", "alice", "none"));
                        assertThat(get(context.getBean(Mailer.class).onCallbackThread())
                                        .thread())
                                .isEqualTo("mails-1");
                        assertThat(get(context.getBean(AsyncMailer.class).busy()))
                                .isEqualTo(new Place("mails-1", "alice", "later"));
                    }
                });
    }

    @Test
    void executorThatEndsWithdrawsTheRequest() {
        application(Mails.class).withBean(Mailer.class).run(context -> {
            LockClient locks = context.getBean(LockClient.class);
            try (Lease lease = TestApplication.elsewhere(locks, "mail:bob")) {
                CompletableFuture<Place> waiting = context.getBean(Mailer.class).send("bob");
                Await.until("the call waits", () -> locks.waiting() == 1);
                context.getBean(ThreadPoolTaskExecutor.class)
                        .getThreadPoolExecutor()
                        .shutdownNow();
                assertThatThrownBy(() -> get(waiting)).hasCauseInstanceOf(LockInterruptedException.class);
                Await.until("the request is withdrawn", () -> locks.waiting() == 0);
            }
            assertThat(locks.lock("mail:bob").isLocked()).isFalse();
        });
    }

    @Configuration
    @EnableAsync
    static class FullMails {
        @Bean
        ThreadPoolTaskExecutor mails() {
            ThreadPoolTaskExecutor mails = AsyncExecutorTest.mails(0);
            mails.setRejectedExecutionHandler(new CallerRunsPolicy());
            return mails;
        }
    }

    /** The caller's thread takes part in the executor's work, so it waits for it. */
    @Test
    void fullExecutorMayLeaveTheMethodToItsCaller() {
        application(FullMails.class).withBean(Mailer.class).run(context -> {
            Mailer mailer = context.getBean(Mailer.class);
            CountDownLatch begun = new CountDownLatch(1);
            CompletableFuture<String> sent = new CompletableFuture<>();
            CompletableFuture<String> slow = mailer.slow(begun, sent);
            begun.await();
            assertThat(mailer.send("bob"))
                    .isCompletedWithValue(new Place(Thread.currentThread().getName(), "alice", "mail:bob"));
            sent.complete("sent");
            get(slow);
        });
    }

    @Retention(RetentionPolicy.RUNTIME)
    @interface OnMails {}

    static class OwnMailer {
        @OnMails
        @DistributedLock("mail:#{#to}")
        public CompletableFuture<Place> send(String to) {
            return Place.here();
        }

        @OnMails
        @DistributedLock("forgotten")
        public void forget(CountDownLatch begun, CountDownLatch end) throws InterruptedException {
            begun.countDown();
            end.await();
        }
    }

    private static Advisor onMails(MethodInterceptor advice, int order) {
        DefaultPointcutAdvisor advisor =
                new DefaultPointcutAdvisor(AnnotationMatchingPointcut.forMethodAnnotation(OnMails.class), advice);
        advisor.setOrder(order);
        return advisor;
    }

    /** Knows nothing of Spring's advice for executors. */
    private static Advisor ownAdvice(Executor mails, int order) {
        return onMails(
                invocation -> CompletableFuture.supplyAsync(() -> proceed(invocation), mails)
                        .thenCompose(each -> each),
                order);
    }

    private static CompletableFuture<?> proceed(MethodInvocation invocation) {
        try {
            return (CompletableFuture<?>) Objects.requireNonNull(invocation.proceed());
        } catch (Throwable thrown) {
            throw new CompletionException(thrown);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnExecutor {
        @Bean
        static ThreadPoolTaskExecutor mails() {
            return AsyncExecutorTest.mails(10);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnAdviceOutside extends OwnExecutor {
        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        static Advisor advisor(ThreadPoolTaskExecutor mails) {
            return ownAdvice(mails, 0);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnAdviceInside extends OwnExecutor {
        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        static Advisor advisor(ThreadPoolTaskExecutor mails) {
            return ownAdvice(mails, Ordered.LOWEST_PRECEDENCE);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class SpringsAdviceInside extends OwnExecutor {
        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        static Advisor advisor(ThreadPoolTaskExecutor mails) {
            return onMails(new AsyncExecutionInterceptor(mails), Ordered.LOWEST_PRECEDENCE);
        }
    }

    @Test
    void methodStaysOnTheExecutorOfAnyAdviceOutside() {
        application(OwnAdviceOutside.class).withBean(OwnMailer.class).run(context -> {
            assertOnExecutor(get(context.getBean(OwnMailer.class).send("bob")));
        });
    }

    /** The lock is outside, so the task is submitted by the client's callback thread. */
    @Test
    void methodStaysOnTheExecutorOfAnyAdviceInside() {
        application(OwnAdviceInside.class).withBean(OwnMailer.class).run(context -> {
            assertThat(get(context.getBean(OwnMailer.class).send("bob")).thread())
                    .isEqualTo("mails-1");
        });
    }

    @Test
    void springsAdviceForExecutorsIsMovedOutside() {
        application(SpringsAdviceInside.class).withBean(OwnMailer.class).run(context -> {
            OwnMailer mailer = context.getBean(OwnMailer.class);
            assertOnExecutor(get(mailer.send("bob")));
            CountDownLatch begun = new CountDownLatch(1);
            CountDownLatch end = new CountDownLatch(1);
            mailer.forget(begun, end);
            begun.await();
            assertThat(context.getBean(LockClient.class).lock("forgotten").isLocked())
                    .isTrue();
            end.countDown();
        });
    }
}
