// SPDX-License-Identifier: Apache-2.0
package io.boltwork.cdi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.Lease;
import io.boltwork.LeaseLostException;
import io.boltwork.LockClient;
import io.boltwork.annotation.CurrentLease;
import io.boltwork.annotation.DistributedLock;
import io.boltwork.annotation.LockMode;
import io.boltwork.annotation.LockRefusedException;
import io.boltwork.annotation.OnRefused;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Await;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.subscription.Cancellable;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Methods that return a Uni or a Multi. */
class MutinyTest {
    private static final Duration LONG = Duration.ofSeconds(30);

    private static RedisServer redis;
    private static Application application;
    private static Prices prices;
    private static LockClient locks;

    @BeforeAll
    static void start() {
        redis = RedisServer.start();
        application = Application.start(Map.of("boltwork.redis.uri", redis.uri()), Prices.class, Inner.class);
        prices = application.get(Prices.class);
        locks = application.get(LockClient.class);
    }

    @AfterAll
    static void stop() {
        application.close();
        redis.close();
    }

    /** Methods under locks. */
    @Singleton
    static class Prices {
        final AtomicInteger calls = new AtomicInteger();

        @Inject
        Inner inner;

        @DistributedLock("price:{item}")
        Uni<Long> token(String item, Lease lease) {
            calls.incrementAndGet();
            return Uni.createFrom().item(lease.fencingToken());
        }

        @DistributedLock("price:{item}")
        Uni<String> slow(String item, CompletableFuture<String> work) {
            calls.incrementAndGet();
            return Uni.createFrom().completionStage(work);
        }

        @DistributedLock("price:{item}")
        Uni<String> endless(String item, CompletableFuture<Cancellable> subscription) {
            subscription.join().cancel();
            return Uni.createFrom().completionStage(new CompletableFuture<>());
        }

        @DistributedLock("price:{item}")
        Multi<String> endlessMany(String item, CompletableFuture<Cancellable> subscription) {
            subscription.join().cancel();
            return Multi.createFrom().nothing();
        }

        @DistributedLock("price:{item}")
        Multi<Integer> many(String item) {
            return Multi.createFrom().range(0, 5);
        }

        @DistributedLock(name = "price:{item}", mode = LockMode.TRY)
        Uni<String> refused(String item) {
            return Uni.createFrom().item("own");
        }

        @DistributedLock(
                name = "price:{item}",
                mode = LockMode.TRY,
                onRefused = OnRefused.FALLBACK,
                fallback = "replaced")
        Multi<String> withFallback(String item) {
            return Multi.createFrom().item("own");
        }

        Multi<String> replaced(String item) {
            return Multi.createFrom().items("a", "b");
        }

        @DistributedLock("price:{item}")
        Uni<Boolean> nested(String item) {
            return inner.again(item);
        }
    }

    /** A bean that is called under the lock of another one. */
    @Singleton
    static class Inner {
        @DistributedLock("price:{item}")
        Uni<Boolean> again(String item) {
            return Uni.createFrom().item(CurrentLease.find().isPresent());
        }
    }

    private static boolean isLocked(String item) {
        return locks.lock("price:" + item).isLocked();
    }

    private static long tokens(String item) {
        return locks.inspector().describe("price:" + item).fence();
    }

    @Test
    void eachSubscriptionTakesTheLock() {
        Uni<Long> token = prices.token("1", null);
        assertThat(prices.calls).hasValue(0);
        long first = token.await().atMost(LONG);
        assertThat(token.await().atMost(LONG)).isGreaterThan(first);
        assertThat(isLocked("1")).isFalse();
        prices.calls.set(0);
    }

    @Test
    void theLockIsKeptUntilTheUniEnds() {
        CompletableFuture<String> work = new CompletableFuture<>();
        CompletableFuture<String> result = prices.slow("2", work).subscribeAsCompletionStage();
        Await.until("the lock is held", () -> isLocked("2"));
        work.complete("done");
        assertThat(result.join()).isEqualTo("done");
        assertThat(isLocked("2")).isFalse();
    }

    @Test
    void aCancellationReleasesTheLock() {
        Cancellable subscription =
                prices.slow("3", new CompletableFuture<>()).subscribe().with(nothing -> {});
        Await.until("the lock is held", () -> isLocked("3"));
        subscription.cancel();
        Await.until("the lock is free", () -> !isLocked("3"));
    }

    @Test
    void aCancellationWhileTheMethodExecutesReleasesTheLock() {
        CompletableFuture<Cancellable> subscription = new CompletableFuture<>();
        long before = tokens("9");
        subscription.complete(prices.endless("9", subscription).subscribe().with(nothing -> {}));
        Await.until("the lock was taken, and is free", () -> tokens("9") > before && !isLocked("9"));
    }

    @Test
    void aCancellationWhileTheMethodOfAMultiExecutesReleasesTheLock() {
        CompletableFuture<Cancellable> subscription = new CompletableFuture<>();
        long before = tokens("10");
        subscription.complete(prices.endlessMany("10", subscription).subscribe().with(nothing -> {}));
        Await.until("the lock was taken, and is free", () -> tokens("10") > before && !isLocked("10"));
    }

    @Test
    void aCancellationWithdrawsTheRequest() {
        try (Lease lease = locks.lock("price:4").acquire()) {
            Cancellable subscription =
                    prices.slow("4", new CompletableFuture<>()).subscribe().with(nothing -> {});
            Await.until("the request waits", () -> locks.waiting() == 1);
            subscription.cancel();
            Await.until("no request waits", () -> locks.waiting() == 0);
        }
        assertThat(isLocked("4")).isFalse();
    }

    @Test
    void aMultiIsUnderTheLock() {
        assertThat(prices.many("5").collect().asList().await().atMost(LONG)).isEqualTo(List.of(0, 1, 2, 3, 4));
        assertThat(isLocked("5")).isFalse();
    }

    @Test
    void aTakenLockFailsTheUniOrIsReplaced() {
        try (Lease lease = locks.lock("price:6").acquire()) {
            assertThatThrownBy(() -> prices.refused("6").await().atMost(LONG)).isInstanceOf(LockRefusedException.class);
            assertThat(prices.withFallback("6").collect().asList().await().atMost(LONG))
                    .isEqualTo(List.of("a", "b"));
        }
        assertThat(prices.refused("6").await().atMost(LONG)).isEqualTo("own");
    }

    @Test
    void aNestedUniReentersTheLock() {
        assertThat(prices.nested("7").await().atMost(LONG)).isTrue();
        assertThat(isLocked("7")).isFalse();
    }

    @Test
    void aLossFailsTheUni() {
        CompletableFuture<String> work = new CompletableFuture<>();
        CompletableFuture<String> result = prices.slow("8", work).subscribeAsCompletionStage();
        Await.until("the lock is held", () -> isLocked("8"));
        locks.inspector().forceRelease("price:8");
        work.complete("done");
        assertThatThrownBy(result::join).hasCauseInstanceOf(LeaseLostException.class);
    }
}
