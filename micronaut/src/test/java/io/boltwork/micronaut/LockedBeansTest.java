// SPDX-License-Identifier: Apache-2.0
package io.boltwork.micronaut;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.InvalidNameException;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.annotation.LockRefusedException;
import io.boltwork.micronaut.Shop.Customer;
import io.boltwork.micronaut.Shop.Order;
import io.boltwork.redis.RedisBackend;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Task;
import io.micronaut.context.ApplicationContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Methods of beans under locks on a real Redis, blocking and as stages. */
class LockedBeansTest {
    private static RedisServer redis;
    private static ApplicationContext application;
    private static Shop shop;

    @BeforeAll
    static void start() {
        redis = RedisServer.start();
        application = ApplicationContext.run(Map.of("boltwork.redis.uri", redis.uri()));
        shop = application.getBean(Shop.class);
    }

    @AfterAll
    static void stop() {
        application.close();
        redis.close();
    }

    @Test
    void oneThreadIsInsideAtATime() {
        List<Task<Boolean>> buyers = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            buyers.add(Task.start("buyer " + i, () -> {
                for (int n = 0; n < 25; n++) {
                    shop.buy("1001");
                }
                return true;
            }));
        }
        buyers.forEach(Task::get);
        assertThat(shop.most).hasValue(1);
    }

    @Test
    void oneApplicationIsInsideAtATime() {
        LockClient elsewhere = LockClient.create(RedisBackend.connect(redis.uri()));
        try (elsewhere) {
            Lease lease = elsewhere.lock("stock:2").acquire();
            Task<String> waiting = Task.start("waiting", () -> shop.under("2", () -> "inside"));
            waiting.awaitParked();
            lease.release();
            assertThat(waiting.get()).isEqualTo("inside");
        }
    }

    @Test
    void aNestedCallReentersTheLock() {
        assertThat(shop.reentrant("3")).isEqualTo(2);
    }

    @Test
    void anAnnotationOnTheClassHasTheNameOfTheMethod() {
        assertThat(application.getBean(Stock.class).ofClass()).isEqualTo("io.boltwork.micronaut.Stock.ofClass");
    }

    @Test
    void propertiesAreInTheName() {
        assertThat(shop.name(new Order(new Customer(7), "x:y"))).isEqualTo("order:7:x%3Ay");
    }

    @Test
    void doubledBracesAreLiteralAndKeysAreAppended() {
        assertThat(shop.escaped("a", "b")).isEqualTo("{a}:b");
    }

    @Test
    void aMissingValueIsRefused() {
        assertThatThrownBy(() -> shop.name(new Order(null, "x")))
                .isInstanceOf(InvalidNameException.class)
                .hasMessageContaining("Shop.name(Order)")
                .hasMessageContaining("'order.customer.id' uses a value that is null");
    }

    @Test
    void aTakenLockIsSkippedOrRefusedOrReplaced() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        Task<Object> job = Task.start("job", () -> shop.job(begun, end));
        begun.await();
        try {
            assertThat(shop.skipped()).isZero();
            assertThatThrownBy(() -> shop.refused("sale"))
                    .isInstanceOf(LockRefusedException.class)
                    .hasMessage("no sale today");
            assertThat(shop.withFallback(7)).isEqualTo("busy 7");
        } finally {
            end.countDown();
        }
        job.get();
        assertThat(shop.withFallback(7)).isEqualTo("own 7");
    }

    @Test
    void aConditionDecidesWhetherTheLockIsTaken() {
        assertThat(shop.conditional(101, "x")).isTrue();
        assertThat(shop.conditional(100, "x")).isFalse();
        assertThat(shop.conditional(101, null)).isFalse();
    }

    @Test
    void aMethodHasSeveralLocks() {
        assertThat(shop.both("4")).isEqualTo("true true");
    }

    @Test
    void aParameterReceivesTheLease() {
        assertThat(shop.token("5", null)).isPositive();
    }

    @Test
    void theLockIsKeptUntilTheStageCompletes() {
        CompletableFuture<String> work = new CompletableFuture<>();
        CompletionStage<String> result = shop.later("6", work);
        LockClient locks = application.getBean(LockClient.class);
        Await.until("the method runs", () -> shop.inside.get() == 1);
        assertThat(locks.lock("later:6").tryAcquire()).isEmpty();
        work.complete("done");
        assertThat(result.toCompletableFuture().join()).isEqualTo("done");
        assertThat(locks.lock("later:6").tryAcquire()).hasValueSatisfying(Lease::release);
        shop.inside.set(0);
    }

    @Test
    void anotherThreadThatAnAdviceHasMovedTheCallToHoldsTheLock() {
        CompletableFuture<Boolean> result = new CompletableFuture<>();
        shop.moved(Thread.currentThread(), result);
        assertThat(result.join()).isTrue();
    }
}
