// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.properties;

import static io.boltwork.spring.TestApplication.assertWrong;
import static io.boltwork.spring.TestApplication.memory;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.boltwork.BackendException;
import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.LockListener;
import io.boltwork.memory.MemoryBackend;
import io.boltwork.spring.BoltworkLockRegistry;
import io.boltwork.spring.DistributedLockTest;
import io.boltwork.spring.LockTemplate;
import io.boltwork.spring.actuate.LocksHealthIndicator;
import io.boltwork.spring.call.LockInterceptor;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Slack;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** The properties {@code boltwork.*} of the client. */
@ExtendWith(OutputCaptureExtension.class)
class ClientPropertiesTest {

    @Test
    void enabled() {
        memory().withPropertyValues("boltwork.enabled=true")
                .run(context -> assertThat(context).hasSingleBean(LockClient.class));
        memory().withPropertyValues("boltwork.enabled=false")
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean(LockClient.class)
                        .doesNotHaveBean(LockTemplate.class)
                        .doesNotHaveBean(LockInterceptor.class)
                        .doesNotHaveBean(LocksHealthIndicator.class)
                        .doesNotHaveBean(BoltworkLockRegistry.class));
    }

    @Test
    void backend() {
        memory().run(context -> assertThat(context).hasSingleBean(MemoryBackend.class));
        assertWrong(memory(), "boltwork.backend=sql", "Backend.sql");
    }

    @Test
    void application() {
        ApplicationContextRunner shop = memory().withPropertyValues("spring.application.name=shop");
        shop.run(
                context -> assertThat(nameOf(context.getBean(LockClient.class))).isEqualTo("shop"));
        shop.withPropertyValues("boltwork.application=till")
                .run(context ->
                        assertThat(nameOf(context.getBean(LockClient.class))).isEqualTo("till"));
        String tooLong = "x".repeat(201);
        assertWrong(shop, "boltwork.application=" + tooLong, "1 to 200 characters");
        assertWrong(memory(), "spring.application.name=" + tooLong, "1 to 200 characters");
    }

    @Test
    void outagePatience() {
        memory().withPropertyValues("boltwork.outage-patience=200ms").run(context -> {
            FencedLock lock = context.getBean(LockClient.class).lock("stock");
            lock.acquire().release();
            context.getBean(MemoryBackend.class).server().freeze();
            long begun = System.nanoTime();
            assertThatExceptionOfType(BackendException.class).isThrownBy(lock::acquire);
            assertThat(Duration.ofNanos(System.nanoTime() - begun))
                    .as("30 s by default")
                    .isLessThan(Slack.seconds(10));
            context.getBean(MemoryBackend.class).server().thaw();
        });
        assertWrong(memory(), "boltwork.outage-patience=-1s", "patience must be between");
        assertWrong(memory(), "boltwork.outage-patience=soon", "'soon' is not a valid");
    }

    @Test
    void shutdownTime() {
        long[] closing = {0};
        memory().withPropertyValues("boltwork.shutdown-time=0s").run(context -> {
            context.getBean(LockClient.class).lock("stock").acquire();
            context.getBean(MemoryBackend.class).server().freeze();
            closing[0] = System.nanoTime();
        });
        assertThat(Duration.ofNanos(System.nanoTime() - closing[0]))
                .as("closing with a hold that cannot be released")
                .isLessThan(Slack.seconds(1));
        assertWrong(memory(), "boltwork.shutdown-time=2h", "time must be between");
    }

    /** Owners within one hold at the backend get consecutive tokens. */
    @Test
    void slice() {
        memory().withPropertyValues("boltwork.slice=1s")
                .run(context -> assertThat(tokensApart(context.getBean(LockClient.class)))
                        .isLessThan(1_000));
        memory().run(context ->
                assertThat(tokensApart(context.getBean(LockClient.class))).isGreaterThanOrEqualTo(1_000));
        assertWrong(memory(), "boltwork.slice=2s", "slice must be between 0 and 1 s");
    }

    @Test
    void longHoldAndLongWait() {
        List<String> told = new CopyOnWriteArrayList<>();
        memory().withPropertyValues("boltwork.long-hold=1s", "boltwork.long-wait=1s")
                .run(context -> {
                    LockClient locks = context.getBean(LockClient.class);
                    locks.addListener(new LockListener() {
                        @Override
                        public void longHold(LongHold event) {
                            told.add("hold of " + event.lockName());
                        }

                        @Override
                        public void longWait(LongWait event) {
                            told.add("wait for " + event.lockName());
                        }
                    });
                    Lease held = locks.lock("stock").acquire();
                    CompletableFuture<Lease> waits =
                            locks.lock("stock").acquireAsync().toCompletableFuture();
                    Await.until("both are reported", () -> told.size() == 2);
                    assertThat(told).containsExactlyInAnyOrder("hold of stock", "wait for stock");
                    waits.cancel(true);
                    held.release();
                });
        memory().run(context -> {
            assertThat(context.getBean(BoltworkProperties.class).longHold()).isNull();
            assertThat(context.getBean(BoltworkProperties.class).longWait()).isNull();
        });
        assertWrong(memory(), "boltwork.long-hold=10ms", "longHold must be between 1 s and 365 days");
        assertWrong(memory(), "boltwork.long-wait=-1s", "longWait must be between 1 s and 365 days");
    }

    private static long tokensApart(LockClient locks) throws Exception {
        Lease first = locks.lock("stock").acquire();
        CompletableFuture<Long> second = CompletableFuture.supplyAsync(() -> {
            try (Lease lease = locks.lock("stock").acquire()) {
                return lease.fencingToken();
            }
        });
        Await.until("the second owner waits", () -> locks.waiting() == 1);
        long begun = System.nanoTime();
        Await.until(
                "the default slice is over, also that of eight owners", () -> System.nanoTime() - begun > 600_000_000);
        first.release();
        return second.get(5, TimeUnit.SECONDS) - first.fencingToken();
    }

    private static String nameOf(LockClient locks) {
        locks.lock("stock").acquire().release();
        return locks.inspector().clients().get(0).application();
    }

    @Test
    void theReportAtStartNamesTheProperty(CapturedOutput output) {
        SpringApplication application = new SpringApplicationBuilder(DistributedLockTest.App.class)
                .web(WebApplicationType.NONE)
                .properties("boltwork.backend=memory", "limit=1s", "boltwork.slice=2s")
                .build();
        assertThat(catchThrowable(application::run)).isNotNull();
        assertThat(output).contains("APPLICATION FAILED TO START", "boltwork.slice", "slice must be between 0 and 1 s");
    }
}
