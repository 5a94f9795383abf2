// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.annotation.CurrentLease;
import io.boltwork.annotation.DistributedLock;
import io.boltwork.annotation.LeaseOf;
import io.boltwork.annotation.LockMode;
import io.boltwork.annotation.LockRefusedException;
import io.boltwork.annotation.LockType;
import io.boltwork.annotation.OnRefused;
import io.boltwork.testkit.wait.Await;
import io.micrometer.observation.tck.TestObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistryAssert;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

/** Methods under a read lock, a write lock, or one permit of a semaphore. */
class ReadWriteAndSemaphoreTest {

    @DistributedLock(name = "prices", type = LockType.READ, waitFor = "5s")
    static class Prices {
        public <T> T read(Supplier<T> work) {
            return work.get();
        }

        @DistributedLock(type = LockType.WRITE)
        public <T> T write(Supplier<T> work) {
            return work.get();
        }

        @DistributedLock(mode = LockMode.TRY, waitFor = "0s")
        public String tryRead() {
            return "read";
        }

        @DistributedLock(type = LockType.WRITE, mode = LockMode.SKIP, waitFor = "0s")
        public String tryWrite() {
            return "written";
        }

        public CompletableFuture<String> readLater(CompletableFuture<String> work) {
            return work;
        }

        @DistributedLock(name = "#left", group = "left", type = LockType.READ)
        @DistributedLock(name = "#right", group = "right", type = LockType.WRITE)
        public long copy(String left, String right, @LeaseOf("left") Lease reading, @LeaseOf("right") Lease writing) {
            return writing.fencingToken() - reading.fencingToken();
        }
    }

    static class Uploads {
        private final AtomicInteger running = new AtomicInteger();
        private final AtomicInteger most = new AtomicInteger();

        public int most() {
            return most.get();
        }

        @DistributedLock(name = "uploads", permits = 2)
        public void upload() throws InterruptedException {
            most.accumulateAndGet(running.incrementAndGet(), Math::max);
            TimeUnit.MILLISECONDS.sleep(5);
            running.decrementAndGet();
        }

        @DistributedLock(name = "uploads", permits = 2)
        public <T> T under(Supplier<T> work) {
            return work.get();
        }

        @DistributedLock(name = "uploads", permits = 2, mode = LockMode.SKIP)
        public String skip() {
            return "done";
        }

        @DistributedLock(name = "uploads", permits = 2, mode = LockMode.TRY)
        public String attempt() {
            return "done";
        }

        @DistributedLock(
                name = "uploads",
                permits = 2,
                mode = LockMode.TRY,
                onRefused = OnRefused.FALLBACK,
                fallback = "busy")
        public String fall(String file) {
            return "done " + file;
        }

        String busy(String file, LockRefusedException refused) {
            return "busy " + file + " " + refused.lockName();
        }

        @DistributedLock(name = "uploads", permits = 2, lease = "9s")
        public Duration remaining(Lease lease) {
            assertThat(CurrentLease.get("uploads")).isSameAs(lease);
            return CurrentLease.get().remaining();
        }

        @DistributedLock(name = "uploads", permits = 2)
        public CompletableFuture<String> later(CompletableFuture<String> work) {
            CurrentLease.ensureHeld("uploads");
            return work;
        }

        @DistributedLock(name = "uploads", permits = 2)
        public Mono<String> reactive(Mono<String> work) {
            return work;
        }

        @DistributedLock(name = "uploads", permits = 2)
        public Object open(Object work) {
            return work;
        }

        @DistributedLock(name = "tuned:1", permits = 2)
        public <T> T tuned(Supplier<T> work) {
            return work.get();
        }
    }

    private static ApplicationContextRunner application() {
        return TestApplication.memory().withBean(Prices.class).withBean(Uploads.class);
    }

    private static void check(Check check) {
        application().withPropertyValues("boltwork.lock.names.tuned.permits=1").run(context -> {
            LockClient locks = context.getBean(LockClient.class);
            check.of(context.getBean(Prices.class), context.getBean(Uploads.class), locks);
            Await.until("all is released", () -> locks.held() == 0);
        });
    }

    private interface Check {
        void of(Prices prices, Uploads uploads, LockClient locks) throws Exception;
    }

    private static int free(LockClient locks) {
        return locks.semaphore("uploads", 2).availablePermits();
    }

    /** Executes work on two threads, and returns the result of the second, which starts under the lock of the first. */
    private static <T> T meanwhile(Prices prices, Supplier<T> second) {
        return prices.read(() -> CompletableFuture.supplyAsync(second).join());
    }

    @Test
    void readersRunTogetherAndWritersAlone() {
        check((prices, uploads, locks) -> {
            assertThat(meanwhile(prices, () -> prices.read(() -> "together"))).isEqualTo("together");
            assertThat(meanwhile(prices, prices::tryWrite)).isNull();
            assertThat(prices.tryWrite()).isEqualTo("written");
            prices.write(() -> {
                assertThat(CompletableFuture.supplyAsync(prices::tryWrite).join())
                        .isNull();
                assertThatExceptionOfType(Exception.class)
                        .isThrownBy(() ->
                                CompletableFuture.supplyAsync(prices::tryRead).join())
                        .withCauseInstanceOf(LockRefusedException.class)
                        .withMessageContaining("The read lock 'prices' was refused to")
                        .withMessageContaining("a writer holds it or waits for it");
                return true;
            });
        });
    }

    @Test
    void writerMayReadAndReaderMayNotWrite() {
        check((prices, uploads, locks) -> {
            assertThat(prices.write(() -> prices.read(
                            () -> prices.write(() -> CurrentLease.get("prices").isValid()))))
                    .isTrue();
            assertThatExceptionOfType(IllegalMonitorStateException.class)
                    .isThrownBy(() -> prices.read(() -> prices.write(() -> "never")));
            assertThat(prices.write(() -> "free again")).isEqualTo("free again");
        });
    }

    @Test
    void asynchronousReadersHoldTheLockUntilTheirEnd() {
        check((prices, uploads, locks) -> {
            CompletableFuture<String> work = new CompletableFuture<>();
            CompletableFuture<String> one = prices.readLater(work);
            CompletableFuture<String> two = prices.readLater(work);
            Await.until("both read", () -> locks.held() > 0);
            assertThat(prices.tryWrite()).isNull();
            work.complete("read");
            assertThat(one.get(5, TimeUnit.SECONDS) + two.get(5, TimeUnit.SECONDS))
                    .isEqualTo("readread");
            assertThat(prices.tryWrite()).isEqualTo("written");
        });
    }

    @Test
    void severalKindsUnderOneMethod() {
        check((prices, uploads, locks) -> {
            assertThat(prices.copy("a", "b", null, null)).isNotNegative();
            assertThat(prices.copy("a", "a", null, null))
                    .as("the write lock suffices for both")
                    .isZero();
            assertThat(locks.lock("prices").isLocked()).isFalse();
        });
    }

    @Test
    void semaphoreLimitsTheNumberOfCallers() {
        check((prices, uploads, locks) -> {
            List<CompletableFuture<Void>> callers = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                callers.add(CompletableFuture.runAsync(() -> {
                    try {
                        uploads.upload();
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                }));
            }
            CompletableFuture.allOf(callers.toArray(CompletableFuture[]::new)).get(20, TimeUnit.SECONDS);
            assertThat(uploads.most()).isBetween(1, 2);
            assertThat(free(locks)).isEqualTo(2);
        });
    }

    @Test
    void nestedCallTakesAnotherPermit() {
        check((prices, uploads, locks) -> {
            assertThat(uploads.under(() -> uploads.under(() -> free(locks)))).isZero();
            assertThat(uploads.under(() -> uploads.under(uploads::skip))).isNull();
            assertThat(uploads.tuned(() -> locks.semaphore("tuned:1", 2).availablePermits()))
                    .as("permits by property")
                    .isZero();
        });
    }

    @Test
    void refusedCallsOfASemaphore() {
        check((prices, uploads, locks) -> {
            try (Lease all = locks.semaphore("uploads", 2).acquire(2)) {
                assertThat(all.isValid()).isTrue();
                assertThat(uploads.skip()).isNull();
                assertThat(uploads.fall("x")).isEqualTo("busy x uploads");
                assertThatExceptionOfType(LockRefusedException.class)
                        .isThrownBy(uploads::attempt)
                        .withMessageContaining("The semaphore 'uploads' was refused to")
                        .withMessageContaining("other owners hold its permits");
            }
            assertThat(uploads.skip()).isEqualTo("done");
            assertThat(uploads.attempt()).isEqualTo("done");
            assertThat(uploads.fall("x")).isEqualTo("done x");
        });
    }

    @Test
    void leaseOfAPermitIsAParameterAndTheCurrentOne() {
        check((prices, uploads, locks) ->
                assertThat(uploads.remaining(null)).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(9)));
    }

    @Test
    void asynchronousMethodsKeepTheirPermitUntilTheirEnd() {
        check((prices, uploads, locks) -> {
            CompletableFuture<String> work = new CompletableFuture<>();
            CompletableFuture<String> first = uploads.later(work);
            CompletableFuture<String> second = uploads.later(work);
            Await.until("both are taken", () -> free(locks) == 0);
            CompletableFuture<String> third = uploads.later(work);
            third.cancel(true);
            work.completeExceptionally(new IllegalStateException("own"));
            assertThat(first)
                    .failsWithin(Duration.ofSeconds(5))
                    .withThrowableThat()
                    .withMessageContaining("own");
            assertThat(second).failsWithin(Duration.ofSeconds(5));
            assertThat(free(locks)).isEqualTo(2);
        });
    }

    @Test
    void reactiveMethodsKeepTheirPermitUntilTheirEnd() {
        check((prices, uploads, locks) -> {
            CountDownLatch begun = new CountDownLatch(1);
            Disposable endless = uploads.reactive(Mono.<String>never().doOnSubscribe(subscription -> begun.countDown()))
                    .subscribe();
            assertThat(begun.await(5, TimeUnit.SECONDS)).isTrue();
            assertThat(free(locks)).isEqualTo(1);
            assertThat(uploads.reactive(Mono.fromSupplier(() -> "" + free(locks)))
                            .block(Duration.ofSeconds(5)))
                    .isEqualTo("0");
            endless.dispose();
            Await.until("the permits are free", () -> free(locks) == 2);
        });
    }

    @Test
    void resultOfAnOpenTypeKeepsItsPermit() {
        check((prices, uploads, locks) -> {
            CompletableFuture<String> work = new CompletableFuture<>();
            CompletableFuture<?> first = (CompletableFuture<?>) uploads.open(work);
            CompletableFuture<?> second = (CompletableFuture<?>) uploads.open(work);
            assertThat(free(locks)).isZero();
            work.complete("done");
            first.get(5, TimeUnit.SECONDS);
            second.get(5, TimeUnit.SECONDS);
            assertThat(free(locks)).isEqualTo(2);
            assertThat(uploads.open("now")).isEqualTo("now");
        });
    }

    @Test
    void templateHasThemToo() {
        check((prices, uploads, locks) -> {
            LockTemplate template = new LockTemplate(locks).withWait(Duration.ZERO);
            LockTemplate two = template.withPermits(2);
            assertThat(two.execute("t", () -> two.execute("t", () -> "two"))).isEqualTo("two");
            assertThatExceptionOfType(LockRefusedException.class)
                    .isThrownBy(() -> two.execute("t", () -> two.execute("t", () -> two.execute("t", () -> ""))))
                    .withMessageContaining("semaphore 't'");
            assertThat(two.executeAsync("t", lease -> CompletableFuture.completedFuture(lease.isValid()))
                            .get(5, TimeUnit.SECONDS))
                    .isTrue();
            LockTemplate read = template.withReadLock();
            assertThat(read.execute(
                            "t",
                            () -> CompletableFuture.supplyAsync(() -> read.execute("t", () -> "together"))
                                    .join()))
                    .isEqualTo("together");
            assertThat(template.withWriteLock().execute("t", () -> read.execute("t", () -> "reads")))
                    .isEqualTo("reads");
            assertThatIllegalArgumentException().isThrownBy(() -> template.withPermits(0));
        });
    }

    @Test
    void observationsNameTheKind() {
        check((prices, uploads, locks) -> {
            assertKind("lock", new LockTemplate(locks));
            assertKind("read", new LockTemplate(locks).withReadLock());
            assertKind("write", new LockTemplate(locks).withWriteLock());
            assertKind("semaphore", new LockTemplate(locks).withPermits(3));
        });
    }

    private static void assertKind(String kind, LockTemplate template) {
        TestObservationRegistry observations = TestObservationRegistry.create();
        template.withObservations(observations).execute("stock:1", () -> "done");
        TestObservationRegistryAssert.assertThat(observations)
                .hasSingleObservationThat()
                .hasLowCardinalityKeyValue("kind", kind);
    }
}
