// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.web;

import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.fence.RedisFence;
import io.boltwork.fence.StaleTokenException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.script.RedisScript;
import org.springframework.stereotype.Component;

/**
 * The remaining stock of items in Redis. A purchase reads it, works, and writes it. Without a lock, two purchases at
 * once sell the same item twice. With a lock, a guard refuses the write of a shop that was stopped for longer than its
 * lease. Buyers that come too late are turned away without work.
 */
@Component
class RedisStock {
    static final int ITEMS = 10;

    private final StringRedisTemplate redis;
    private final LockClient locks;
    private final RedisFence fence;
    private final ShopReport report;
    private final LongAdder worked = new LongAdder();

    RedisStock(StringRedisTemplate redis, LockClient locks, ShopReport report) {
        this.redis = redis;
        this.locks = locks;
        this.fence = RedisFence.on((script, keys, arguments) ->
                redis.execute(RedisScript.of(script, String.class), keys, arguments.toArray()));
        this.report = report;
    }

    /** Returns the key with the remaining stock of an item. */
    static String key(String item) {
        return "sale:" + item;
    }

    void open(String item, int items) {
        redis.opsForValue().set(key(item), Integer.toString(items));
    }

    int left(String item) {
        String left = redis.opsForValue().get(key(item));
        return left == null ? 0 : Integer.parseInt(left);
    }

    /** Returns whether an item was left. */
    boolean decrease(String item, Buyer buyer) throws InterruptedException {
        long begun = System.nanoTime();
        Optional<Lease> lease = locks.lock("stock:" + item).currentLease(); // none without the lock
        report.took(buyer, lease);
        try {
            boolean sold = sell(item, buyer.work(), lease);
            report.left(buyer, sold);
            return sold;
        } catch (StaleTokenException e) {
            report.refused(buyer, e);
            throw e;
        } catch (RuntimeException e) {
            report.failed(buyer);
            throw e;
        } finally {
            worked.add(System.nanoTime() - begun);
        }
    }

    private void work(Duration work) throws InterruptedException {
        Thread.sleep(work.toMillis());
        report.awaitFreeze();
    }

    // @start region="sell"
    private boolean sell(String item, Duration work, Optional<Lease> lease) throws InterruptedException {
        lease.ifPresent(held -> fence.check(key(item), held.fencingToken()));
        int left = left(item);
        if (left > 0) {
            work(work);
            lease.ifPresentOrElse(
                    held -> fence.set(key(item), Integer.toString(left - 1), held.fencingToken()),
                    () -> open(item, left - 1));
        }
        return left > 0;
    }
    // @end

    /** Returns the total time of all purchases here so far, without the wait for the lock. */
    Duration worked() {
        return Duration.ofNanos(worked.sum());
    }
}
