package io.boltwork.examples.web;

import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.fence.RedisFence;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.script.RedisScript;
import org.springframework.stereotype.Component;

/**
 * The remaining stock in Redis. A purchase reads it, works, and writes it. Without a lock, two purchases at once sell the same
 * item twice. With a lock, a guard refuses the write of a shop that was stopped for longer than its lease. Buyers that come too
 * late are turned away without work.
 */
@Component
class RedisStock {
    static final int ITEMS = 10;
    private static final String LEFT = "sale:stock";
    private static final String COUNTS = "sale:counts";

    private final StringRedisTemplate redis;
    private final RedisFence fence;
    private final FencedLock lock;
    private final Duration work;
    private final LongAdder worked = new LongAdder();

    RedisStock(StringRedisTemplate redis, LockClient locks, @Value("${sale.work}") Duration work) {
        this.redis = redis;
        this.fence = RedisFence.on((script, keys, arguments) ->
                redis.execute(RedisScript.of(script, String.class), keys, arguments.toArray()));
        this.lock = locks.lock("stock:1001");
        this.work = work;
    }

    void open(int items) {
        redis.delete(COUNTS);
        redis.opsForValue().set(LEFT, Integer.toString(items));
    }

    int left() {
        String left = redis.opsForValue().get(LEFT);
        return left == null ? 0 : Integer.parseInt(left);
    }

    Map<Object, Object> counts() {
        return redis.opsForHash().entries(COUNTS);
    }

    /** Returns whether an item was left. */
    boolean decrease() throws InterruptedException {
        long begun = System.nanoTime();
        Optional<Lease> lease = lock.currentLease(); // none without the lock
        lease.ifPresent(held -> fence.check(LEFT, held.fencingToken()));
        int left = left();
        if (left > 0) {
            Thread.sleep(work.toMillis());
            write(left - 1, lease);
        }
        redis.opsForHash().increment(COUNTS, left > 0 ? "sold" : "late", 1);
        worked.add(System.nanoTime() - begun);
        return left > 0;
    }

    private void write(int left, Optional<Lease> lease) {
        lease.ifPresentOrElse(
                held -> fence.set(LEFT, Integer.toString(left), held.fencingToken()),
                () -> redis.opsForValue().set(LEFT, Integer.toString(left)));
    }

    /** Returns the total time of all purchases here so far, without the wait for the lock. */
    Duration worked() {
        return Duration.ofNanos(worked.sum());
    }

    void turnedAway() {
        Objects.requireNonNull(redis.opsForHash().increment(COUNTS, "away", 1));
    }
}
