// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.boltwork.LeaseLostException;
import io.boltwork.LockClient;
import io.boltwork.LockOptions;
import io.boltwork.annotation.DistributedLock;
import io.boltwork.testkit.wait.Await;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.ApplicationContext;

/** A fixed lease that ends is a warning if code still runs under it, and none if the lock is a cool-down. */
class FixedLeaseLogTest {
    private static final Duration BRIEF = Duration.ofMillis(100);

    private final LogOfLocks log = new LogOfLocks();

    @AfterEach
    void close() {
        log.close();
    }

    static class Slow {
        @DistributedLock(name = "job", lease = "100ms")
        public void job(LogOfLocks log) {
            awaitWarning(log);
        }

        @DistributedLock(name = "job", lease = "100ms")
        public CompletableFuture<String> later(CompletableFuture<String> work) {
            return work;
        }
    }

    private static void awaitWarning(LogOfLocks log) {
        Await.until("a warning is logged", () -> !log.entries.isEmpty());
        assertThat(log.entries)
                .singleElement()
                .asString()
                .contains("WARNING The lock 'job' was lost by ")
                .endsWith("EXPIRED");
        log.entries.clear();
    }

    private void assertWarned(Runnable work) {
        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(work::run);
        assertThat(log.entries).as("after the one that the work awaited").isEmpty();
    }

    @Test
    void codeUnderALeaseThatEndsIsReportedWhileItRuns() {
        TestApplication.memory().withBean(Slow.class).run(context -> {
            LockTemplate template = context.getBean(LockTemplate.class).withOptions(LockOptions.fixedLease(BRIEF));
            assertWarned(() -> context.getBean(Slow.class).job(log));
            assertWarned(() -> template.executeWithoutResult("job", lease -> awaitWarning(log)));
            assertWarned(() -> template.execute("job", () -> {
                awaitWarning(log);
                return true;
            }));
            CompletableFuture<String> work = new CompletableFuture<>();
            CompletableFuture<String> later = context.getBean(Slow.class).later(work);
            awaitWarning(log);
            work.complete("done");
            assertThat(later)
                    .failsWithin(Duration.ofSeconds(20))
                    .withThrowableThat()
                    .withCauseInstanceOf(LeaseLostException.class);
        });
    }

    @Test
    void coolDownIsNoWarning() {
        TestApplication.memory().run(context -> {
            LockClient locks = context.getBean(LockClient.class);
            BoltworkLockRegistry registry = context.getBean(BoltworkLockRegistry.class);
            assertThat(locks.lock("one").tryLock(Duration.ZERO, BRIEF)).isTrue();
            assertThat(locks.lock("two", LockOptions.fixedLease(BRIEF)).tryLock())
                    .isTrue();
            locks.lock("three").lock(BRIEF);
            assertThat(registry.obtain("four").tryLock(Duration.ZERO, BRIEF)).isTrue();
            assertThat(locks.semaphore("five", 3, LockOptions.fixedLease(BRIEF)).tryAcquire())
                    .isPresent();
            locks.readWriteLock("six").readLock().lock(BRIEF);
            Await.until("all leases have ended", () -> locks.held() == 0);
            assertThat(log.entries).isEmpty();
            assertEndIsReportedByALateUnlock(context);
        });
    }

    private void assertEndIsReportedByALateUnlock(ApplicationContext context) {
        assertThatExceptionOfType(LeaseLostException.class)
                .isThrownBy(
                        () -> context.getBean(LockClient.class).lock("three").unlock());
        assertThat(log.entries).singleElement().asString().contains("WARNING The lock 'three' was lost by ");
    }
}
