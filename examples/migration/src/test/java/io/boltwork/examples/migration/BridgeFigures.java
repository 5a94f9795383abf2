// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.migration;

import io.boltwork.LockClient;
import io.boltwork.redis.Bridge;
import io.boltwork.redis.RedisBackend;
import io.boltwork.redis.RedisOptions;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Task;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.stream.LongStream;

/**
 * Measures the cost of a bridged lock, and how long each side takes to wake the other, in one JVM on one Redis. Prints
 * a table in Markdown.
 */
final class BridgeFigures {
    private static final int ROUNDS = 3;
    private static final int TURNS = 400;
    private static final Duration LOAD = Duration.ofSeconds(2);

    private BridgeFigures() {}

    /** Runs all measurements. */
    public static void main(String... args) {
        try (SharedRedis site = new SharedRedis();
                LockClient here = bridged(site.redis);
                LockClient elsewhere = bridged(site.redis)) {
            Lock[] redisson = {site.redisson.getLock("r"), site.redissonElsewhere.getLock("r")};
            Lock[] plain = {site.locks.lock("p"), site.locksElsewhere.lock("p")};
            Lock[] bridged = {here.lock("s"), elsewhere.lock("s")};
            Lock old = site.redisson.getLock("s");
            System.out.println(
                    "| pairs of lock and unlock by one thread | µs per pair | server, µs per pair |\n|---|---|---|");
            for (int round = 0; round < ROUNDS; round++) { // the last round counts
                boolean last = round == ROUNDS - 1;
                pairs("Redisson", redisson[0], site.redis, last);
                pairs("Boltwork, not bridged", plain[0], site.redis, last);
                pairs("Boltwork, bridged", bridged[0], site.redis, last);
            }
            System.out.println("\n| wake-up from | to | p50, µs | p99, µs |\n|---|---|---|---|");
            for (int round = 0; round < 2; round++) {
                boolean last = round == 1;
                wakeUps("Redisson", "Redisson", redisson[0], redisson[1], last);
                wakeUps("Boltwork, not bridged", "Boltwork, not bridged", plain[0], plain[1], last);
                wakeUps("Boltwork, bridged", "Boltwork, bridged", bridged[0], bridged[1], last);
                wakeUps("Redisson", "Boltwork, bridged", old, bridged[0], last);
                wakeUps("Boltwork, bridged", "Redisson", bridged[0], old, last);
            }
        }
        System.exit(0);
    }

    private static LockClient bridged(RedisServer redis) {
        return LockClient.create(
                RedisBackend.connect(redis.uri(), RedisOptions.defaults().withBridge(Bridge.redisson())));
    }

    private static void pairs(String what, Lock lock, RedisServer redis, boolean print) {
        redis.command("CONFIG", "RESETSTAT");
        long start = System.nanoTime();
        long pairs = 0;
        while (System.nanoTime() - start < LOAD.toNanos()) {
            lock.lock();
            lock.unlock();
            pairs++;
        }
        double micros = (System.nanoTime() - start) / 1_000.0 / pairs;
        if (print) {
            System.out.printf(Locale.ROOT, "| %s | %.0f | %.0f |%n", what, micros, serverMicros(redis) / pairs);
        }
    }

    /** Returns the microseconds that the server has spent on scripts and on the commands outside them. */
    private static double serverMicros(RedisServer redis) {
        String stats = String.valueOf(redis.command("INFO", "commandstats"));
        return stats.lines()
                .filter(line -> line.startsWith("cmdstat_evalsha:") || line.startsWith("cmdstat_eval:"))
                .map(line -> line.replaceAll(".*usec=(\\d+).*", "$1"))
                .mapToDouble(Double::parseDouble)
                .sum();
    }

    private static void wakeUps(String from, String to, Lock holder, Lock waiter, boolean print) {
        LongSupplier turn = () -> {
            holder.lock();
            Task<Long> waiting = Task.start("waiter", () -> {
                waiter.lock();
                long when = System.nanoTime();
                waiter.unlock();
                return when;
            });
            LockSupport.parkNanos(20_000_000); // so that it has asked, and listens
            long freed = System.nanoTime();
            holder.unlock();
            return waiting.get() - freed;
        };
        long[] nanos = LongStream.generate(turn).limit(TURNS).sorted().toArray();
        if (print) {
            System.out.printf(
                    Locale.ROOT,
                    "| %s | %s | %d | %d |%n",
                    from,
                    to,
                    nanos[TURNS / 2] / 1_000,
                    nanos[TURNS * 99 / 100] / 1_000);
        }
    }
}
