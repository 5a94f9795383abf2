// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.BackendException;
import io.boltwork.Lease;
import io.boltwork.LeaseLostException;
import io.boltwork.LockClient;
import io.boltwork.LockSummary;
import io.boltwork.annotation.LockInterruptedException;
import io.boltwork.annotation.LockRefusedException;
import io.boltwork.memory.MemoryBackend;
import io.boltwork.testkit.wait.Await;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.scheduling.annotation.EnableScheduling;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

public class DistributedLockTest {
    private static ConfigurableApplicationContext application;
    private static LockClient locks;
    private static LockedShop shop;

    @BeforeAll
    static void start() {
        application = new SpringApplicationBuilder(App.class)
                .web(WebApplicationType.NONE)
                .properties(
                        "boltwork.backend=memory",
                        "spring.main.banner-mode=off",
                        "limit=200ms",
                        "boltwork.lock.names.tuned.mode=skip",
                        "boltwork.lock.names.tuned.lease=9s",
                        "boltwork.lock.names.off.enabled=false")
                .run();
        locks = application.getBean(LockClient.class);
        shop = application.getBean(LockedShop.class);
    }

    @AfterAll
    static void close() {
        application.close();
    }

    @Test
    void nameUsesArgumentsBeansAndPlaceholders() {
        assertThat(shop.byName("7")).isEqualTo("stock:7");
        assertThat(shop.byNumber("7")).isEqualTo("stock:7");
        assertThat(shop.bySecond("6", "7")).isEqualTo("by:7");
        assertThat(shop.byAllNames("7")).isEqualTo("by:7:7:7");
        assertThat(shop.byRootThatIsAnArgument("7")).isEqualTo("by:byRootThatIsAnArgument");
        assertThat(shop.byBean("7")).isEqualTo("shop-7-200ms");
        assertThat(shop.byKeys("a", 3)).isEqualTo("eu:order:a:3");
        assertThat(shop.byDefault()).isEqualTo(LockedShop.class.getName() + ".byDefault");
        assertThat(shop.byRoot()).isEqualTo("byRoot");
        assertThat(held()).isZero();
    }

    @Test
    void nameIsComputedOnce() {
        int before = shop.begun();
        assertThat(shop.counted()).isEqualTo("counted:" + (before + 1));
        assertThat(shop.counted()).isEqualTo("counted:" + (before + 2));
    }

    @Test
    void nullKeyIsAnErrorAndNotALock() {
        assertThatThrownBy(() -> shop.byName(null))
                .hasMessageContaining("byName")
                .hasMessageContaining("null");
    }

    @Test
    void tokenIsInTheLeaseParameter() {
        assertThat(shop.token(null)).isLessThan(shop.token(null));
    }

    @Test
    void resultsAndExceptionsPassUnchanged() {
        IOException own = new IOException("own");
        assertThatThrownBy(() -> shop.fails(own)).isSameAs(own);
        assertThat(held()).isZero();
    }

    @Test
    void refusedCallThrowsReturnsNullFallsBackOrIsSkipped() throws Exception {
        try (Lease lease = elsewhere("busy")) {
            assertThatExceptionOfType(LockRefusedException.class)
                    .isThrownBy(shop::tries)
                    .withMessage("busy, item 3 is gone")
                    .satisfies(refused -> assertThat(refused.lockName()).isEqualTo("busy"));
            assertThat(shop.nothing()).isNull();
            assertThat(shop.falls("x")).isEqualTo("fallback x busy");
            assertThat(shop.skips()).isZero();
            assertThat(shop.skipsOptional()).isEmpty();
            assertThatExceptionOfType(LockRefusedException.class).isThrownBy(shop::waits);
            assertThatExceptionOfType(LockRefusedException.class).isThrownBy(shop::composed);
        }
        assertThat(shop.tries()).isEqualTo("done");
        assertThat(shop.skips()).isEqualTo(1);
    }

    @Test
    void conditionDecidesWhetherTheLockIsTaken() throws Exception {
        try (Lease lease = elsewhere("busy")) {
            assertThat(shop.onlyIf(5)).isEqualTo(5);
            assertThatExceptionOfType(LockRefusedException.class).isThrownBy(() -> shop.onlyIf(500));
        }
    }

    @Test
    void severalLocksAreHeldTogetherAndAllReleased() throws Exception {
        assertThat(shop.both("b", "a")).isEqualTo(2);
        try (Lease lease = elsewhere("b")) {
            assertThatExceptionOfType(LockRefusedException.class).isThrownBy(() -> shop.both("b", "a"));
            assertThat(locks.lock("a").isLocked()).isFalse();
        }
        assertThat(shop.both("a", "a")).isEqualTo(1);
    }

    @Test
    void lostLeaseIsReportedAfterTheMethodUnlessIgnored() {
        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(() -> shop.loses(locks));
        shop.losesAndIgnores(locks);
        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(() -> shop.losesInterrupted(locks));
        assertThat(Thread.interrupted() | true).isTrue();
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> shop.losesAndFails(locks))
                .satisfies(own -> assertThat(own.getSuppressed()).hasAtLeastOneElementOfType(LeaseLostException.class));
    }

    @Test
    void lostLeaseIsTheEndOfAPublisher() {
        StepVerifier.create(shop.monoLoses(locks)).verifyError(LeaseLostException.class);
        StepVerifier.create(shop.mono(locks)).expectNext(true).verifyComplete();
    }

    @Test
    void methodIsNotExecutedDuringAnOutage() {
        int before = shop.ran();
        application.getBean(MemoryBackend.class).server().freeze();
        try {
            assertThatExceptionOfType(BackendException.class).isThrownBy(shop::skips);
        } finally {
            application.getBean(MemoryBackend.class).server().thaw();
        }
        assertThat(shop.ran()).isEqualTo(before);
    }

    @Test
    void interruptEndsTheWait() throws Exception {
        try (Lease lease = elsewhere("busy")) {
            Thread.currentThread().interrupt();
            assertThatExceptionOfType(LockInterruptedException.class).isThrownBy(shop::waitsForEver);
            assertThat(Thread.interrupted()).isTrue();
            Thread.currentThread().interrupt();
            assertThatExceptionOfType(InterruptedException.class).isThrownBy(shop::declares);
            assertThat(Thread.interrupted()).isFalse();
        }
    }

    @Test
    void stageHoldsTheLockUntilItCompletes() throws Exception {
        CompletableFuture<String> inner = new CompletableFuture<>();
        CompletableFuture<String> result = shop.later(inner, null);
        Await.until("the method has begun", () -> locks.lock("async").isLocked());
        assertThat(result).isNotDone();
        inner.complete("token");
        assertThat(result.get(5, TimeUnit.SECONDS)).isEqualTo("token");
        assertThat(locks.lock("async").isLocked()).isFalse();
        IOException own = new IOException("own");
        assertThatThrownBy(() ->
                        shop.later(CompletableFuture.failedFuture(own), null).get(5, TimeUnit.SECONDS))
                .isInstanceOf(ExecutionException.class)
                .hasCause(own);
        assertThat(locks.lock("async").isLocked()).isFalse();
    }

    @Test
    void cancelWithdrawsAWaitAndKeepsARunningActionsLock() throws Exception {
        int before = shop.begun();
        CompletableFuture<String> inner = new CompletableFuture<>();
        CompletableFuture<String> first = shop.later(inner, null);
        Await.until("the first call has begun", () -> shop.begun() == before + 1);
        CompletableFuture<String> cancelled = shop.later(new CompletableFuture<>(), null);
        CompletableFuture<String> late = shop.later(new CompletableFuture<>(), null);
        Await.until("both other calls wait", () -> locks.waiting() == 2);
        cancelled.cancel(true);
        late.orTimeout(1, TimeUnit.MILLISECONDS);
        Await.until("both requests are withdrawn", () -> locks.waiting() == 0);
        first.cancel(true);
        assertThat(inner).isNotDone();
        assertThat(locks.lock("async").isLocked()).isTrue();
        inner.complete("done");
        Await.until("the lock is free", () -> !locks.lock("async").isLocked());
        assertThat(shop.begun()).isEqualTo(before + 1);
        try (Lease lease = elsewhere("async")) {
            assertThatThrownBy(() -> shop.triesLater().get(5, TimeUnit.SECONDS))
                    .hasCauseInstanceOf(LockRefusedException.class);
            assertThat(shop.skipsLater().get(5, TimeUnit.SECONDS)).isNull();
        }
    }

    @Test
    void monoAndFluxHoldTheLockUntilTheyEnd() throws Exception {
        StepVerifier.create(shop.mono(locks)).expectNext(true).verifyComplete();
        StepVerifier.create(shop.flux(locks)).expectNext(true, true).verifyComplete();
        assertThat(locks.lock("reactive").isLocked()).isFalse();
        StepVerifier.create(shop.monoFails()).verifyErrorMessage("own");
        Disposable subscription = shop.never().subscribe();
        Await.until("the lock is held", () -> locks.lock("reactive").isLocked());
        StepVerifier.create(shop.monoTries()).verifyError(LockRefusedException.class);
        subscription.dispose();
        Await.until("the lock is free", () -> !locks.lock("reactive").isLocked());
        Mono<Boolean> twice = shop.mono(locks);
        StepVerifier.create(twice.concatWith(twice)).expectNext(true, true).verifyComplete();
        assertThat(locks.lock("reactive").isLocked()).isFalse();
    }

    @Test
    void propertiesOverrideAnnotationsByGroup() throws Exception {
        try (Lease lease = elsewhere("tuned:1")) {
            assertThat(shop.tuned("1")).isNull();
        }
        assertThat(shop.tuned("1")).isLessThan(Duration.ofSeconds(9)).isGreaterThan(Duration.ofSeconds(5));
        try (Lease lease = elsewhere("off")) {
            assertThat(shop.off()).isTrue();
        }
    }

    @Test
    void classAnnotationCoversPublicMethodsAndMethodsOverrideIt() {
        Till till = application.getBean(Till.class);
        assertThat(till.first()).isEqualTo("till");
        assertThat(till.second()).isEqualTo("second");
    }

    @Test
    void annotationOfAnInterfaceApplies() {
        assertThat(application.getBean(Counter.class).count()).isEqualTo("counter");
    }

    @Test
    void scheduledJobsRunOncePerPeriod() {
        Jobs jobs = application.getBean(Jobs.class);
        Await.until("a job has run", () -> jobs.calls() > 0);
        assertThat(locks.lock("job").isLocked()
                        || locks.inspector().describe("job").state() == LockSummary.State.KEPT)
                .isTrue();
        Await.until("the scheduler calls again", () -> jobs.attempts() > 0);
        assertThat(jobs.calls()).isEqualTo(1);
    }

    @Test
    void fairAndReentrant() {
        assertThat(shop.outer()).isEqualTo("inner");
    }

    private int held() {
        return locks.health().held();
    }

    /** Acquires a lock without a holding thread, so that the caller's thread is refused too. */
    private Lease elsewhere(String name) throws Exception {
        return locks.lock(name).acquireAsync().toCompletableFuture().get(5, TimeUnit.SECONDS);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration(excludeName = "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration")
    @EnableScheduling
    @Import({LockedShop.class, Till.class, CounterBean.class, Jobs.class})
    public static class App {}
}
