// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.boltwork.Lease;
import io.boltwork.LeaseLostException;
import io.boltwork.LockClient;
import io.boltwork.annotation.CurrentLease;
import io.boltwork.annotation.DistributedLock;
import io.boltwork.annotation.LeaseOf;
import io.boltwork.annotation.OnLost;
import io.boltwork.memory.MemoryBackend;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Lazy;
import reactor.core.publisher.Mono;

/** Tests access to the current lease of a thread and to lease parameters. */
class CurrentLeaseTest {

    static class Job {
        @Autowired
        LockClient locks;

        @Autowired
        @Lazy
        Job self;

        @DistributedLock("job")
        public String held() {
            CurrentLease.ensureHeld();
            CurrentLease.ensureHeld("job");
            assertThat(CurrentLease.find("other")).isEmpty();
            return CurrentLease.get().lockName();
        }

        @DistributedLock(name = "job", lease = "1s")
        public Duration extended() {
            CurrentLease.extend(Duration.ofSeconds(20));
            return CurrentLease.get("job").remaining();
        }

        @DistributedLock("outer")
        public String nested() {
            String inner = self.held();
            CurrentLease.ensureHeld("outer");
            return inner + " in " + CurrentLease.get().lockName();
        }

        @DistributedLock("job")
        public String needs(String lock) {
            CurrentLease.ensureHeld(lock);
            return CurrentLease.get(lock).lockName();
        }

        @DistributedLock("outer")
        public String needsOuter() {
            return self.needs("outer");
        }

        @DistributedLock("job")
        public String fails() {
            throw new IllegalStateException("own");
        }

        @DistributedLock(name = "job", onLost = OnLost.IGNORE)
        public void loses() {
            locks.inspector().forceRelease("job");
            CurrentLease.ensureHeld();
        }

        @DistributedLock(name = "job", onLost = OnLost.IGNORE)
        public void losesByName() {
            locks.inspector().forceRelease("job");
            CurrentLease.ensureHeld("job");
        }

        @DistributedLock("job")
        public CompletableFuture<String> stage() {
            return CompletableFuture.completedFuture(CurrentLease.get().lockName());
        }

        @DistributedLock("job")
        public Mono<String> mono() {
            return Mono.just(CurrentLease.get().lockName());
        }

        @DistributedLock("stock:#{#from}")
        @DistributedLock(name = "stock", keys = "#to")
        @DistributedLock(name = "audit", group = "records", condition = "#to != 'a'")
        public List<String> move(
                String from,
                String to,
                @LeaseOf("stock:#to") Lease given,
                @LeaseOf("stock:#{#from}") Lease taken,
                @LeaseOf("records") Lease audit) {
            return List.of(taken.lockName(), given.lockName(), audit == null ? "none" : audit.lockName());
        }

        @DistributedLock(name = "stock", keys = "#item")
        @DistributedLock(name = "shelf", keys = "#item")
        public List<String> fill(String item, @LeaseOf("shelf") Lease shelf, @LeaseOf("stock") Lease stock) {
            return List.of(shelf.lockName(), stock.lockName());
        }
    }

    interface Scale {
        String weigh(@LeaseOf("scale") Lease scale);
    }

    static class ScaleOfTheShop implements Scale {
        @Override
        @DistributedLock("item")
        @DistributedLock("scale")
        public String weigh(Lease lease) {
            return lease.lockName();
        }
    }

    private static void run(Consumer<Job> test) {
        TestApplication.memory().withBean(Job.class).run(context -> {
            assertThat(context).hasNotFailed();
            test.accept(context.getBean(Job.class));
            assertThat(CurrentLease.find()).isEmpty();
        });
    }

    @Test
    void currentLeaseIsThatOfTheInnermostMethod() {
        run(job -> {
            assertThat(job.held()).isEqualTo("job");
            assertThat(job.nested()).isEqualTo("job in outer");
            assertThatExceptionOfType(IllegalStateException.class).isThrownBy(job::fails);
        });
    }

    @Test
    void leaseOfAnOuterMethodIsFoundByName() {
        run(job -> assertThat(job.needsOuter()).isEqualTo("outer"));
    }

    @Test
    void currentLeaseIsExtendedWithoutAParameter() {
        run(job -> assertThat(job.extended()).isGreaterThan(Duration.ofSeconds(15)));
    }

    @Test
    void asynchronousMethodsStartWithACurrentLease() {
        run(job -> {
            assertThat(job.stage().orTimeout(30, TimeUnit.SECONDS).join()).isEqualTo("job");
            assertThat(job.mono().block(Duration.ofSeconds(30))).isEqualTo("job");
        });
    }

    @Test
    void currentLeaseFailsWithoutALockAndAfterALoss() {
        run(job -> {
            assertThatExceptionOfType(LeaseLostException.class).isThrownBy(job::loses);
            assertThatExceptionOfType(LeaseLostException.class).isThrownBy(job::losesByName);
            assertThatExceptionOfType(IllegalStateException.class)
                    .isThrownBy(() -> job.needs("other"))
                    .withMessageContaining("under the lock 'other'");
        });
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> CurrentLease.extend(Duration.ofSeconds(1)))
                .withMessageContaining("under a lock");
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(CurrentLease::ensureHeld)
                .withMessageContaining("under a lock");
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> new Job().held())
                .withMessageContaining("from another bean");
    }

    @Test
    void templateActionsHaveACurrentLease() {
        try (LockClient client = LockClient.create(MemoryBackend.create())) {
            LockTemplate template = new LockTemplate(client);
            assertThat(template.execute(
                            "action", () -> CurrentLease.get("action").fencingToken()))
                    .isPositive();
            assertThat(template.execute(
                            "action", (Lease lease) -> CurrentLease.get().fencingToken() == lease.fencingToken()))
                    .isTrue();
            assertThat(template.executeAsync(
                                    "action",
                                    lease -> CompletableFuture.completedFuture(
                                            CurrentLease.get().lockName()))
                            .orTimeout(30, TimeUnit.SECONDS)
                            .join())
                    .isEqualTo("action");
            assertThat(CurrentLease.find()).isEmpty();
        }
    }

    @Test
    void leaseParametersChooseTheirLockByName() {
        run(job -> {
            assertThat(job.move("b", "c", null, null, null)).containsExactly("stock:b", "stock:c", "audit");
            assertThat(job.move("b", "a", null, null, null)).containsExactly("stock:b", "stock:a", "none");
            assertThat(job.move("c", "c", null, null, null)).containsExactly("stock:c", "stock:c", "audit");
            assertThat(job.fill("c", null, null)).containsExactly("shelf:c", "stock:c");
        });
    }

    @Test
    void interfaceMayChooseTheLockOfALeaseParameter() {
        TestApplication.memory().withBean(ScaleOfTheShop.class).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(context.getBean(Scale.class).weigh(null)).isEqualTo("scale");
        });
    }
}
