// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import io.boltwork.LockClient;
import io.boltwork.redis.RedisBackend;
import io.lettuce.core.RedisClient;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Executes each request only once, even if it arrives twice, at the same moment or a day later. There is a lock for
 * each order, and a record of its answer. All callers get the same answer.
 *
 * <p>The lock excludes duplicates, and the record outlives the lock. If a process dies between the charge and the
 * record, the next duplicate charges again: pass the order's id to the payment, too.
 */
final class IdempotentOrders implements AutoCloseable {
    private final LockClient locks;
    private final StatefulRedisConnection<String, String> connection;
    private final RedisCommands<String, String> answers;

    IdempotentOrders(String redisUri, RedisClient redis) {
        locks = LockClient.create(RedisBackend.connect(redisUri, Instances.APART));
        connection = redis.connect();
        answers = connection.sync();
    }

    String process(String order, Callable<String> charge) throws Exception {
        // @start region="idempotent-orders"
        String record = "answer:" + order;
        String known = answers.get(record);
        if (known != null) {
            return known; // a later delivery of the same order
        }
        return locks.lock("order:" + order).call(Duration.ofSeconds(10), () -> {
            String meanwhile = answers.get(record);
            if (meanwhile != null) {
                return meanwhile; // two deliveries at once: the other one was first
            }
            String answer = charge.call();
            answers.set(record, answer, SetArgs.Builder.nx().ex(Duration.ofDays(1)));
            return answer;
        });
        // @end
    }

    @Override
    public void close() {
        connection.close();
        locks.close();
    }

    static void demo(String redisUri, PrintStream out) throws Exception {
        out.println("Three orders, each delivered to two services at once, and once more later.");
        AtomicInteger charges = new AtomicInteger();
        String run = Long.toString(System.currentTimeMillis(), Character.MAX_RADIX);
        RedisClient redis = RedisClient.create(redisUri);
        ExecutorService threads = Executors.newCachedThreadPool();
        try (IdempotentOrders one = new IdempotentOrders(redisUri, redis);
                IdempotentOrders two = new IdempotentOrders(redisUri, redis)) {
            for (String order : List.of(run + "-1", run + "-2", run + "-3")) {
                Callable<String> charge = () -> "receipt " + charges.incrementAndGet();
                Future<String> first = threads.submit(() -> one.process(order, charge));
                Future<String> second = threads.submit(() -> two.process(order, charge));
                out.println("order " + order + ": " + first.get() + ", " + second.get() + ", "
                        + one.process(order, charge));
            }
            out.println("9 deliveries, charged " + charges.get() + " times.");
        } finally {
            threads.shutdown();
            redis.shutdown();
        }
    }
}
