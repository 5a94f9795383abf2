// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.migration;

import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LeasedSemaphore;
import io.boltwork.LockClient;
import io.boltwork.LockOptions;
import io.boltwork.MultiLock;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.redisson.api.RFencedLock;
import org.redisson.api.RLock;
import org.redisson.api.RPermitExpirableSemaphore;
import org.redisson.api.RedissonClient;

/** The usual ways to use Redisson's locks, each with its counterpart. */
final class FromRedisson {
    private FromRedisson() {}

    static void lockBefore(RedissonClient redisson, Runnable sale) {
        RLock stock = redisson.getLock("stock:1001");
        stock.lock();
        try {
            sale.run();
        } finally {
            stock.unlock();
        }
    }

    static void lockAfter(LockClient locks, Runnable sale) {
        FencedLock stock = locks.lock("stock:1001");
        stock.lock();
        try {
            sale.run();
        } finally {
            stock.unlock();
        }
    }

    static String tryBefore(RedissonClient redisson, Runnable sale) throws InterruptedException {
        RLock stock = redisson.getLock("stock:1001");
        if (!stock.tryLock(2, 10, TimeUnit.SECONDS)) { // waits for 2 s, holds for 10 s
            return "busy";
        }
        try {
            sale.run();
            return "sold";
        } finally {
            stock.unlock(); // an IllegalMonitorStateException if the 10 s are over
        }
    }

    static String tryAfter(LockClient locks, Runnable sale) throws InterruptedException {
        // @start region="try-after"
        FencedLock stock = locks.lock("stock:1001", LockOptions.fixedLease(Duration.ofSeconds(10)));
        Optional<Lease> lease = stock.tryAcquire(Duration.ofSeconds(2));
        if (lease.isEmpty()) {
            return "busy";
        }
        try (Lease held = lease.get()) { // its end throws a LeaseLostException if the 10 s are over
            sale.run();
            return "sold";
        }
        // @end
    }

    static void fencedBefore(RedissonClient redisson, LongConsumer write) {
        RFencedLock stock = redisson.getFencedLock("stock:1001");
        Long token = stock.lockAndGetToken();
        try {
            write.accept(token);
        } finally {
            stock.unlock();
        }
    }

    static void fencedAfter(LockClient locks, LongConsumer write) {
        try (Lease stock = locks.lock("stock:1001").acquire()) {
            write.accept(stock.fencingToken());
        }
    }

    static CompletionStage<String> asyncBefore(
            RedissonClient redisson, long owner, Supplier<CompletionStage<String>> sale) {
        RLock stock = redisson.getLock("stock:1001");
        return stock.lockAsync(owner) // a number that no other owner in this client uses
                .thenCompose(locked -> sale.get())
                .thenCompose(sold -> stock.unlockAsync(owner).thenApply(released -> sold));
    }

    static CompletionStage<String> asyncAfter(LockClient locks, Supplier<CompletionStage<String>> sale) {
        FencedLock stock = locks.lock("stock:1001");
        return stock.callAsync(Duration.ofSeconds(2), lease -> sale.get()); // releases after a failure, too
    }

    static void semaphoreBefore(RedissonClient redisson, Runnable upload) throws InterruptedException {
        RPermitExpirableSemaphore uploads = redisson.getPermitExpirableSemaphore("uploads");
        uploads.trySetPermits(3);
        String permit = uploads.acquire(30, TimeUnit.SECONDS); // not renewed
        try {
            upload.run();
        } finally {
            uploads.release(permit);
        }
    }

    static void semaphoreAfter(LockClient locks, Runnable upload) {
        LeasedSemaphore uploads = locks.semaphore("uploads", 3);
        try (Lease permit = uploads.acquire()) { // renewed
            upload.run();
        }
    }

    static void multiBefore(RedissonClient redisson, Runnable transfer) {
        RLock both = redisson.getMultiLock(redisson.getLock("account:1"), redisson.getLock("account:2"));
        both.lock();
        try {
            transfer.run();
        } finally {
            both.unlock();
        }
    }

    static void multiAfter(LockClient locks, Runnable transfer) {
        MultiLock both = locks.multiLock(locks.lock("account:1"), locks.lock("account:2"));
        both.lock();
        try {
            transfer.run();
        } finally {
            both.unlock();
        }
    }
}
