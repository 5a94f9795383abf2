// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.properties;

import static io.boltwork.spring.TestApplication.assertWrong;
import static io.boltwork.spring.TestApplication.elsewhere;
import static io.boltwork.spring.TestApplication.memory;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.boltwork.Lease;
import io.boltwork.LeaseLostException;
import io.boltwork.LockClient;
import io.boltwork.LockSummary;
import io.boltwork.annotation.DistributedLock;
import io.boltwork.annotation.LockRefusedException;
import io.boltwork.annotation.operation.LockOperation;
import io.boltwork.spring.BoltworkLockRegistry;
import io.boltwork.spring.LockTemplate;
import io.boltwork.spring.call.LockAdvisor;
import io.boltwork.spring.call.LockInterceptor;
import io.boltwork.spring.operation.LockOperationSource;
import io.boltwork.testkit.wait.Await;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** The properties {@code boltwork.lock.*} that override the annotations of a group. */
public class LockPropertiesTest {
    private static final String TUNED = "boltwork.lock.names.tuned.";

    /** A method with a lock of the group {@code tuned}. */
    public static class Tuned {
        private final LockClient locks;

        public Tuned(LockClient locks) {
            this.locks = locks;
        }

        @DistributedLock("tuned:1")
        public String held() {
            return locks.inspector().list("*", 10).stream()
                    .map(LockSummary::name)
                    .findFirst()
                    .orElse("nothing");
        }

        @DistributedLock("tuned:1")
        public Duration remaining(Lease lease) {
            return lease.remaining();
        }

        @DistributedLock("tuned:1")
        public Boolean loses() {
            return locks.inspector().forceRelease("tuned:1");
        }

        @DistributedLock("tuned:1")
        public Boolean outlastsItsLease(Lease lease) {
            Await.until("the lease is lost", () -> !lease.isValid());
            return Thread.interrupted();
        }
    }

    private static ApplicationContextRunner tuned(String... properties) {
        return memory().withBean(Tuned.class).withPropertyValues(properties);
    }

    @Test
    void enabled() {
        tuned().run(context -> assertThat(context.getBean(Tuned.class).held()).isEqualTo("tuned:1"));
        tuned("boltwork.lock.enabled=false").run(context -> {
            assertThat(context).doesNotHaveBean(LockInterceptor.class).hasSingleBean(LockTemplate.class);
            assertThat(context.getBean(Tuned.class).held()).isEqualTo("nothing");
        });
    }

    @Test
    void prefix() {
        tuned("boltwork.lock.prefix=shop:").run(context -> {
            assertThat(context.getBean(Tuned.class).held()).isEqualTo("shop:tuned:1");
            assertThat(context.getBean(BoltworkLockRegistry.class).obtain("orders"))
                    .asString()
                    .contains("shop:orders");
        });
    }

    @Test
    void order() {
        tuned().run(context ->
                assertThat(context.getBean(LockAdvisor.class).getOrder()).isEqualTo(BoltworkProperties.ADVICE_ORDER));
        tuned("boltwork.lock.order=7")
                .run(context -> assertThat(context.getBean(LockAdvisor.class).getOrder())
                        .isEqualTo(7));
        assertWrong(tuned(), "boltwork.lock.order=2147483647", "less than that of transactions");
    }

    @Test
    void namesEnabled() {
        tuned(TUNED + "enabled=false")
                .run(context -> assertThat(context.getBean(Tuned.class).held()).isEqualTo("nothing"));
        tuned("boltwork.lock.names.others.enabled=false", "boltwork.lock.names.others.optional=true")
                .run(context -> assertThat(context.getBean(Tuned.class).held()).isEqualTo("tuned:1"));
    }

    @Test
    void namesLease() {
        tuned(TUNED + "lease=9s")
                .run(context -> assertThat(context.getBean(Tuned.class).remaining(null))
                        .isBetween(Duration.ofSeconds(1), Duration.ofSeconds(9)));
        assertWrong(tuned(), TUNED + "lease=0s", "lease must be");
        assertWrong(tuned(), "boltwork.lock.names[a.b].lease=0s", "lease must be");
    }

    @Test
    void namesWaitForAndMode() {
        tuned(TUNED + "wait-for=30ms").run(context -> {
            try (Lease lease = elsewhere(context.getBean(LockClient.class), "tuned:1")) {
                assertThat(lease.isValid()).isTrue();
                assertThatExceptionOfType(LockRefusedException.class)
                        .isThrownBy(() -> context.getBean(Tuned.class).held())
                        .withMessageContaining("30 ms");
            }
        });
        tuned(TUNED + "mode=skip").run(context -> {
            try (Lease lease = elsewhere(context.getBean(LockClient.class), "tuned:1")) {
                assertThat(lease.isValid()).isTrue();
                assertThat(context.getBean(Tuned.class).held()).isNull();
            }
        });
        assertWrong(tuned(), TUNED + "wait-for=-1s", "at least 0 ms");
        assertWrong(tuned(), TUNED + "mode=perhaps", "perhaps");
    }

    @Test
    void namesType() {
        tuned(TUNED + "type=fair")
                .run(context -> assertThat(operation(context.getBean(LockOperationSource.class)))
                        .extracting(LockOperation::options)
                        .asString()
                        .contains("FIFO"));
        assertWrong(tuned(), TUNED + "type=unfair", "unfair");
    }

    @Test
    void namesMinHold() {
        tuned(TUNED + "min-hold=10m").run(context -> {
            context.getBean(Tuned.class).held();
            assertThat(context.getBean(LockClient.class)
                            .inspector()
                            .describe("tuned:1")
                            .state())
                    .isEqualTo(LockSummary.State.KEPT);
        });
        assertWrong(tuned(), TUNED + "min-hold=-1s", "minHold must be");
    }

    @Test
    void namesMaxHold() {
        tuned(TUNED + "max-hold=40ms")
                .run(context -> assertThatExceptionOfType(LeaseLostException.class)
                        .isThrownBy(() -> context.getBean(Tuned.class).outlastsItsLease(null)));
        assertWrong(tuned(), TUNED + "max-hold=0s", "maxHold must be");
    }

    @Test
    void namesOnRefused() {
        tuned(TUNED + "mode=try", TUNED + "on-refused=return-null").run(context -> {
            try (Lease lease = elsewhere(context.getBean(LockClient.class), "tuned:1")) {
                assertThat(lease.isValid()).isTrue();
                assertThat(context.getBean(Tuned.class).held()).isNull();
            }
        });
        assertWrong(tuned(), TUNED + "on-refused=weep", "weep");
    }

    @Test
    void namesOnLost() {
        tuned().run(context -> assertThatExceptionOfType(LeaseLostException.class)
                .isThrownBy(() -> context.getBean(Tuned.class).loses()));
        tuned(TUNED + "on-lost=ignore")
                .run(context -> assertThat(context.getBean(Tuned.class).loses()).isTrue());
        assertWrong(tuned(), TUNED + "on-lost=weep", "weep");
    }

    private static LockOperation operation(LockOperationSource source) throws NoSuchMethodException {
        return source.find(Tuned.class.getMethod("held"), Tuned.class)
                .operations()
                .get(0);
    }
}
