// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import io.boltwork.FencedLock;
import io.boltwork.FencedReadWriteLock;
import io.boltwork.LockClient;
import io.boltwork.redis.RedisBackend;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A cache that many processes read. If it is cold, one of them warms it, and none reads it half full. The process that
 * has warmed it goes on as a reader, so that it reads what it has written.
 */
final class WarmCache implements AutoCloseable {
    private final LockClient locks;
    private final FencedReadWriteLock lock;
    private final StatefulRedisConnection<String, String> connection;
    private final RedisCommands<String, String> redis;
    private final String key;

    WarmCache(String redisUri, RedisClient client, String name) {
        locks = LockClient.create(RedisBackend.connect(redisUri, Instances.APART));
        lock = locks.readWriteLock(name);
        connection = client.connect();
        redis = connection.sync();
        key = "cache:" + name;
    }

    Map<String, String> read(Callable<Map<String, String>> source) throws Exception {
        // @start region="warm-cache"
        FencedLock reading = lock.readLock();
        FencedLock writing = lock.writeLock();
        reading.lock();
        try {
            Map<String, String> entries = redis.hgetall(key);
            if (!entries.isEmpty()) {
                return entries;
            }
        } finally {
            reading.unlock(); // a reader cannot become a writer
        }
        writing.lock();
        try {
            if (redis.exists(key) == 0) { // otherwise another process was faster
                for (Map.Entry<String, String> entry : source.call().entrySet()) {
                    redis.hset(key, entry.getKey(), entry.getValue());
                }
            }
            reading.lock(); // a writer can become a reader
        } finally {
            writing.unlock();
        }
        try {
            return redis.hgetall(key);
        } finally {
            reading.unlock();
        }
        // @end
    }

    /** Empties the cache. */
    void cool() {
        lock.writeLock().lock();
        try {
            redis.del(key);
        } finally {
            lock.writeLock().unlock();
        }
    }

    @Override
    public void close() {
        connection.close();
        locks.close();
    }

    static void demo(String redisUri, PrintStream out) throws Exception {
        out.println("Six readers in two processes find a cache of three prices cold.");
        AtomicInteger loads = new AtomicInteger();
        Callable<Map<String, String>> source = () -> {
            loads.incrementAndGet();
            return Map.of("apple", "40", "pear", "45", "plum", "20");
        };
        String name = "prices-" + Long.toString(System.currentTimeMillis(), Character.MAX_RADIX);
        RedisClient client = RedisClient.create(redisUri);
        ExecutorService threads = Executors.newCachedThreadPool();
        try (WarmCache one = new WarmCache(redisUri, client, name);
                WarmCache two = new WarmCache(redisUri, client, name)) {
            List<Future<Map<String, String>>> reads = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                WarmCache cache = i % 2 == 0 ? one : two;
                reads.add(threads.submit(() -> cache.read(source)));
            }
            for (Future<Map<String, String>> read : reads) {
                out.println("read " + read.get().size() + " prices");
            }
            out.println("6 reads, loaded " + loads.get() + " time.");
            one.cool();
        } finally {
            threads.shutdown();
            client.shutdown();
        }
    }
}
