// SPDX-License-Identifier: Apache-2.0
package io.boltwork.micronaut;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.annotation.CurrentLease;
import io.boltwork.annotation.DistributedLock;
import io.boltwork.annotation.LockMode;
import io.boltwork.annotation.LockRefusedException;
import io.boltwork.annotation.OnRefused;
import io.boltwork.testkit.wait.Await;
import io.micronaut.context.ApplicationContext;
import jakarta.inject.Singleton;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Methods that return a Mono or a Flux. */
class ReactorTest {
    private static ApplicationContext application;
    private static Prices prices;
    private static LockClient locks;

    @BeforeAll
    static void start() {
        application = ApplicationContext.run(Map.of("boltwork.backend", "memory"));
        prices = application.getBean(Prices.class);
        locks = application.getBean(LockClient.class);
    }

    @AfterAll
    static void stop() {
        application.close();
    }

    /** Methods under locks. */
    @Singleton
    static class Prices {
        private final Inner inner;

        Prices(Inner inner) {
            this.inner = inner;
        }

        @DistributedLock("price:{item}")
        Mono<Long> token(String item, Lease lease) {
            return Mono.just(lease.fencingToken());
        }

        @DistributedLock("price:{item}")
        Mono<String> slow(String item, CompletableFuture<String> work) {
            return Mono.fromFuture(work);
        }

        @DistributedLock("price:{item}")
        Flux<Integer> many(String item) {
            return Flux.range(0, 5);
        }

        @DistributedLock(name = "price:{item}", mode = LockMode.TRY)
        Mono<String> refused(String item) {
            return Mono.just("own");
        }

        @DistributedLock(
                name = "price:{item}",
                mode = LockMode.TRY,
                onRefused = OnRefused.FALLBACK,
                fallback = "replaced")
        Flux<String> withFallback(String item) {
            return Flux.just("own");
        }

        Flux<String> replaced(String item) {
            return Flux.just("a", "b");
        }

        @DistributedLock("price:{item}")
        Mono<Boolean> nested(String item) {
            return inner.again(item);
        }
    }

    /** A bean that is called under the lock of another one. */
    @Singleton
    static class Inner {
        @DistributedLock("price:{item}")
        Mono<Boolean> again(String item) {
            return Mono.just(CurrentLease.find().isPresent());
        }
    }

    private static boolean isLocked(String item) {
        return locks.lock("price:" + item).isLocked();
    }

    @Test
    void eachSubscriptionTakesTheLock() {
        Mono<Long> token = prices.token("1", null);
        Long first = token.block();
        assertThat(token.block()).isGreaterThan(first);
        assertThat(prices.many("1").collectList().block()).hasSize(5);
        assertThat(prices.nested("1").block()).isTrue();
        assertThat(isLocked("1")).isFalse();
    }

    @Test
    void theLockIsKeptUntilTheMonoEnds() {
        CompletableFuture<String> work = new CompletableFuture<>();
        CompletableFuture<String> result = prices.slow("2", work).toFuture();
        Await.until("the lock is held", () -> isLocked("2"));
        work.complete("done");
        assertThat(result.join()).isEqualTo("done");
        assertThat(isLocked("2")).isFalse();
    }

    @Test
    void aCancellationReleasesTheLockOrWithdrawsTheRequest() {
        Disposable holder = prices.slow("3", new CompletableFuture<>()).subscribe();
        Await.until("the lock is held", () -> isLocked("3"));
        Disposable waiting = prices.slow("3", new CompletableFuture<>()).subscribe();
        Await.until("another subscription waits", () -> locks.health().waiting() == 1);
        waiting.dispose();
        Await.until("it does not wait any more", () -> locks.health().waiting() == 0);
        holder.dispose();
        Await.until("the lock is free", () -> !isLocked("3"));
    }

    @Test
    void aRefusalIsAFailureOrReplaced() {
        try (Lease lease = locks.lock("price:5").acquire()) {
            Mono<String> refused = prices.refused("5").subscribeOn(reactor.core.scheduler.Schedulers.parallel());
            assertThatThrownBy(refused::block).isInstanceOf(LockRefusedException.class);
            assertThat(prices.withFallback("5").collectList().block()).containsExactly("a", "b");
        }
        assertThat(prices.refused("5").block()).isEqualTo("own");
    }
}
