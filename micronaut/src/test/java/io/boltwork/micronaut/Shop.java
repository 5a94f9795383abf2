// SPDX-License-Identifier: Apache-2.0
package io.boltwork.micronaut;

import io.boltwork.Lease;
import io.boltwork.annotation.CurrentLease;
import io.boltwork.annotation.DistributedLock;
import io.boltwork.annotation.LockMode;
import io.boltwork.annotation.LockRefusedException;
import io.boltwork.annotation.OnRefused;
import io.micronaut.scheduling.annotation.Async;
import jakarta.inject.Singleton;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** Methods under locks. */
@Singleton
class Shop {
    final AtomicInteger inside = new AtomicInteger();
    final AtomicInteger most = new AtomicInteger();

    private final Stock stock;

    Shop(Stock stock) {
        this.stock = stock;
    }

    record Order(Customer customer, String item) {}

    static final class Customer {
        private final long id;

        Customer(long id) {
            this.id = id;
        }

        public long getId() {
            return id;
        }
    }

    @DistributedLock("stock:{item}")
    void buy(String item) {
        most.accumulateAndGet(inside.incrementAndGet(), Math::max);
        Thread.yield();
        inside.decrementAndGet();
    }

    @DistributedLock("stock:{item}")
    <T> T under(String item, Supplier<T> work) {
        return work.get();
    }

    @DistributedLock(name = "order:{order.customer.id}:{order.item}")
    String name(Order order) {
        return lockName();
    }

    @DistributedLock(name = "{{{0}}}", keys = "{1}")
    String escaped(String a, String b) {
        return lockName();
    }

    @DistributedLock("stock:{item}")
    int reentrant(String item) {
        return stock.holdCount(item);
    }

    @DistributedLock(name = "job", mode = LockMode.SKIP)
    Optional<String> job(CountDownLatch begun, CountDownLatch end) throws InterruptedException {
        begun.countDown();
        end.await();
        return Optional.of("done");
    }

    @DistributedLock(name = "job", mode = LockMode.SKIP)
    int skipped() {
        return 1;
    }

    @DistributedLock(name = "job", mode = LockMode.TRY, message = "no {0} today")
    void refused(String what) {}

    @DistributedLock(name = "job", mode = LockMode.TRY, onRefused = OnRefused.FALLBACK, fallback = "busy")
    String withFallback(int number) {
        return "own " + number;
    }

    private String busy(int number, LockRefusedException refused) {
        return "busy " + number;
    }

    @DistributedLock(name = "amount", condition = "amount > 100 and not empty customer")
    boolean conditional(int amount, String customer) {
        return CurrentLease.find().isPresent();
    }

    @DistributedLock("a:{item}")
    @DistributedLock("b:{item}")
    String both(String item) {
        return CurrentLease.find("a:" + item).isPresent() + " "
                + CurrentLease.find("b:" + item).isPresent();
    }

    @DistributedLock("token:{item}")
    long token(String item, Lease lease) {
        return lease.fencingToken();
    }

    @DistributedLock("later:{item}")
    CompletionStage<String> later(String item, CompletableFuture<String> result) {
        inside.incrementAndGet();
        return result;
    }

    @DistributedLock("moved")
    @Async
    void moved(Thread caller, CompletableFuture<Boolean> result) {
        result.complete(CurrentLease.find().isPresent() && Thread.currentThread() != caller);
    }

    static String lockName() {
        return CurrentLease.find().orElseThrow().lockName();
    }
}
