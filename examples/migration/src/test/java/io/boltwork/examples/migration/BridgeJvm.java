// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.migration;

import io.boltwork.LockClient;
import io.boltwork.LockOptions;
import io.boltwork.redis.Bridge;
import io.boltwork.redis.RedisBackend;
import io.boltwork.redis.RedisOptions;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;
import org.redisson.Redisson;
import org.redisson.config.Config;

/**
 * A JVM whose threads take one lock in turn, with Redisson or with Boltwork, and write each hold to a file: an event is
 * the thread, 1 for the begin and 0 for the end, the time by the machine's monotonic clock, and how long the thread had
 * waited. An event is in the file before the thread goes on, so a killed JVM loses none.
 */
final class BridgeJvm {
    static final int EVENT = 3 * Long.BYTES + 1;

    private BridgeJvm() {}

    /**
     * Begins at the first line of standard input, and ends at the second.
     *
     * @param args {@code redisson}, {@code boltwork} or {@code unbridged}, the URI of a standalone Redis, the name of
     *     the lock, the number of threads, the file, and for how many microseconds each turn lasts and the pause after
     *     it
     */
    public static void main(String... args) throws Exception {
        FileChannel file = FileChannel.open(
                Path.of(args[4]), StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.APPEND);
        Lock lock = lock(args[0], args[1], args[2]);
        long turn = Long.parseLong(args[5]) * 1_000;
        List<Thread> threads = new ArrayList<>();
        BufferedReader orders = new BufferedReader(new InputStreamReader(System.in));
        lock.lock(); // so that all classes are loaded
        lock.unlock();
        System.out.println("ready");
        orders.readLine();
        for (int i = 0; i < Integer.parseInt(args[3]); i++) {
            long number = i;
            Thread thread = new Thread(() -> takeTurns(lock, number, turn, file));
            thread.setDaemon(true);
            thread.start();
            threads.add(thread);
        }
        orders.readLine();
        stopped = true;
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println("done");
        System.exit(0);
    }

    private static volatile boolean stopped;

    private static void takeTurns(Lock lock, long thread, long turn, FileChannel file) {
        while (!stopped) {
            long asked = System.nanoTime();
            lock.lock();
            long begun = System.nanoTime();
            try {
                write(file, thread, 1, begun, begun - asked);
                if (turn > 0) {
                    LockSupport.parkNanos(turn);
                }
                write(file, thread, 0, System.nanoTime(), 0);
            } finally {
                lock.unlock();
            }
            LockSupport.parkNanos(turn);
        }
    }

    private static void write(FileChannel file, long thread, int begins, long when, long waited) {
        ByteBuffer event = ByteBuffer.allocate(EVENT);
        event.putLong(thread).put((byte) begins).putLong(when).putLong(waited).flip();
        try {
            file.write(event);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Lock lock(String library, String uri, String name) {
        RedisOptions options = RedisOptions.defaults();
        return switch (library) {
            case "redisson" -> redisson(uri, name);
            case "boltwork" -> boltwork(uri, name, options.withBridge(Bridge.redisson()));
            case "unbridged" -> boltwork(uri, name, options);
            default -> throw new IllegalArgumentException("library must not be " + library);
        };
    }

    private static Lock redisson(String uri, String name) {
        Config config = new Config();
        config.setThreads(2).setNettyThreads(4);
        config.setLockWatchdogTimeout(6_000);
        config.useSingleServer()
                .setAddress(uri)
                .setConnectionMinimumIdleSize(1)
                .setConnectionPoolSize(8)
                .setSubscriptionConnectionMinimumIdleSize(1)
                .setSubscriptionConnectionPoolSize(4);
        return Redisson.create(config).getLock(name);
    }

    private static Lock boltwork(String uri, String name, RedisOptions options) {
        return LockClient.create(RedisBackend.connect(uri, options))
                .lock(name, LockOptions.renewedLease(Duration.ofSeconds(6)));
    }
}
