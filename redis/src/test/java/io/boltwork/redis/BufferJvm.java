// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import io.boltwork.FencedLock;
import io.boltwork.LeaseLostException;
import io.boltwork.LockClient;
import io.boltwork.LockOptions;
import io.boltwork.testkit.history.HistoryWriter;
import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;

/**
 * One of several JVMs that put numbers into a bounded buffer and take them out, under a lock with two conditions, until
 * they are stopped. The buffer is a list in Redis; each change is atomic, but only the lock makes it right.
 */
final class BufferJvm {
    static final String LOCK = "buffer";
    static final Duration LEASE = Duration.ofSeconds(2);
    static final int CAPACITY = 5;

    /** Adds the next number, or sets the mark that the buffer is full. */
    private static final String PUT = "if redis.call('LLEN', 'buffer:items') >= tonumber(ARGV[1]) then return "
            + "redis.call('RPUSH', 'buffer:wrong', 'full') end "
            + "return redis.call('LPUSH', 'buffer:items', redis.call('INCR', 'buffer:numbers'))";

    /** Moves a number to those that were taken, or notes that there is none. */
    private static final String TAKE = "if redis.call('LLEN', 'buffer:items') == 0 then return "
            + "redis.call('RPUSH', 'buffer:wrong', 'empty') end "
            + "return redis.call('LPUSH', 'buffer:taken', redis.call('RPOP', 'buffer:items'))";

    private static final int PAIRS = 2;

    private final FencedLock lock;
    private final Condition notFull;
    private final Condition notEmpty;
    private final RedisCommands<String, String> redis;
    private volatile boolean over;

    private BufferJvm(FencedLock lock, RedisCommands<String, String> redis) {
        this.lock = lock;
        this.notFull = lock.condition("notFull");
        this.notEmpty = lock.condition("notEmpty");
        this.redis = redis;
    }

    /** The name in its history. */
    static String process(int number) {
        return "buffer-" + number;
    }

    public static void main(String[] args) throws Exception {
        int number = Integer.parseInt(args[1]);
        RedisClient data = RedisClient.create(args[0]);
        try (HistoryWriter history = HistoryWriter.open(Path.of(args[2]), process(number));
                LockClient client = LockClient.create(RedisBackend.connect(args[0]))) {
            FencedLock lock = history.recorded(client.lock(LOCK, LockOptions.renewedLease(LEASE)));
            BufferJvm jvm = new BufferJvm(lock, data.connect().sync());
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < PAIRS; i++) {
                threads.add(jvm.start("puts-" + i, jvm::put));
                threads.add(jvm.start("takes-" + i, jvm::take));
            }
            System.out.println("ready");
            System.in.read();
            jvm.over = true;
            for (Thread thread : threads) {
                thread.join();
            }
        } finally {
            data.shutdown();
        }
    }

    /** An operation on the buffer. */
    private interface Operation {
        void run() throws InterruptedException;
    }

    private Thread start(String name, Operation operation) {
        Thread thread = new Thread(
                () -> {
                    while (!over) {
                        try {
                            operation.run();
                        } catch (LeaseLostException frozen) {
                            System.err.println(frozen.getMessage());
                        } catch (InterruptedException e) {
                            throw new AssertionError(e);
                        }
                    }
                },
                name);
        thread.setUncaughtExceptionHandler((failed, failure) -> {
            failure.printStackTrace();
            Runtime.getRuntime().halt(1);
        });
        thread.start();
        return thread;
    }

    private void put() throws InterruptedException {
        lock.lock();
        try {
            while (redis.llen("buffer:items") >= CAPACITY) {
                if (over) {
                    return;
                }
                notFull.await(1, TimeUnit.SECONDS); // a JVM may die between its change and its signal
            }
            redis.eval(PUT, ScriptOutputType.INTEGER, new String[0], Integer.toString(CAPACITY));
            notEmpty.signal();
        } finally {
            lock.unlock();
        }
    }

    private void take() throws InterruptedException {
        lock.lock();
        try {
            while (redis.llen("buffer:items") == 0) {
                if (over) {
                    return;
                }
                notEmpty.await(1, TimeUnit.SECONDS);
            }
            redis.eval(TAKE, ScriptOutputType.INTEGER);
            notFull.signal();
        } finally {
            lock.unlock();
        }
    }
}
