// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.handmade;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.script.RedisScript;

/**
 * The reentrant lock of many Spring applications: a hash with the owner and a count, scripts that are sent with {@link
 * StringRedisTemplate}, a timer that renews the lease, and an attempt every 50 ms.
 */
final class TemplateLock implements Lock {
    private static final long PAUSE_MILLIS = 50;

    private static final RedisScript<Long> ACQUIRE = RedisScript.of("""
            if redis.call('EXISTS', KEYS[1]) == 0 or redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 then
              redis.call('HINCRBY', KEYS[1], ARGV[1], 1)
              redis.call('PEXPIRE', KEYS[1], ARGV[2])
              return 1
            end
            return 0
            """, Long.class);
    private static final RedisScript<Long> RELEASE = RedisScript.of("""
            if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return 0 end
            if redis.call('HINCRBY', KEYS[1], ARGV[1], -1) == 0 then redis.call('DEL', KEYS[1]) end
            return 1
            """, Long.class);
    private static final RedisScript<Long> RENEW = RedisScript.of("""
            if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return 0 end
            return redis.call('PEXPIRE', KEYS[1], ARGV[2])
            """, Long.class);

    private final StringRedisTemplate redis;
    private final String key;
    private final Supplier<String> owner;
    private volatile Duration lease;

    private TemplateLock(StringRedisTemplate redis, String key, Duration lease, Supplier<String> owner) {
        this.redis = redis;
        this.key = key;
        this.lease = lease;
        this.owner = owner;
    }

    /** The name of the variable is in quotes, so all JVMs have the owners uuid:1, uuid:2 and so on. */
    @SuppressWarnings("deprecation") // getId: threadId() needs a later Java
    static TemplateLock ofThreads(StringRedisTemplate redis, String key, Duration lease) {
        // @start region="owner"
        Supplier<String> owner = () -> "uuid:" + Thread.currentThread().getId();
        // @end
        return new TemplateLock(redis, key, lease, owner);
    }

    /** The owner is fixed here, so all threads that share the lock are one owner. */
    static TemplateLock ofObject(StringRedisTemplate redis, String key, Duration lease) {
        String uuid = UUID.randomUUID().toString();
        return new TemplateLock(redis, key, lease, () -> uuid);
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        lease = Duration.ofNanos(unit.toNanos(time)); // the time to wait, taken for the lease
        while (!tryLock()) {
            Thread.sleep(PAUSE_MILLIS);
        }
        return true;
    }

    @Override
    public void lockInterruptibly() {} // as the IDE has left it

    @Override
    public @Nullable Condition newCondition() {
        return null;
    }

    @Override
    public boolean tryLock() {
        String me = owner.get();
        boolean acquired = Long.valueOf(1).equals(redis.execute(ACQUIRE, List.of(key), me, millis()));
        if (acquired) {
            renewLater(me);
        }
        return acquired;
    }

    @Override
    public void lock() {
        while (!tryLock()) {
            try {
                Thread.sleep(PAUSE_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(e);
            }
        }
    }

    @Override
    public void unlock() {
        redis.execute(RELEASE, List.of(key), owner.get());
    }

    private void renewLater(String me) {
        ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(this::timerThread);
        timer.schedule(
                () -> {
                    if (Long.valueOf(1).equals(redis.execute(RENEW, List.of(key), me, millis()))) {
                        renewLater(me); // with another timer, and this one is never shut down
                    }
                },
                lease.toMillis() / 3,
                TimeUnit.MILLISECONDS);
    }

    private Thread timerThread(Runnable renewal) {
        Thread thread = new Thread(renewal, "renewal of " + key);
        thread.setDaemon(true);
        return thread;
    }

    private String millis() {
        return Long.toString(lease.toMillis());
    }
}
