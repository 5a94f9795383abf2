// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Slack;
import io.lettuce.core.RedisClient;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Many deliveries of an order cause one charge, and all get its answer. */
class IdempotentOrdersTest {
    private static final int DELIVERIES = 16;

    private final RedisServer redis = RedisServer.start();
    private final RedisClient lettuce = RedisClient.create(redis.uri());
    private final IdempotentOrders one = new IdempotentOrders(redis.uri(), lettuce);
    private final IdempotentOrders two = new IdempotentOrders(redis.uri(), lettuce);
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final AtomicInteger charges = new AtomicInteger();

    @AfterEach
    void close() {
        threads.shutdownNow();
        one.close();
        two.close();
        lettuce.shutdown();
        redis.close();
    }

    @Test
    void duplicateOrdersCauseOneChargeAndGetTheSameAnswer() throws Exception {
        CountDownLatch arrived = new CountDownLatch(DELIVERIES);
        Callable<String> charge = () -> {
            assertThat(arrived.await(Slack.seconds(20).toMillis(), TimeUnit.MILLISECONDS))
                    .as("all other deliveries arrive while the first one charges")
                    .isTrue();
            return "receipt " + charges.incrementAndGet();
        };
        CyclicBarrier together = new CyclicBarrier(DELIVERIES);
        List<Future<String>> answers = new ArrayList<>();
        for (int i = 0; i < DELIVERIES; i++) {
            IdempotentOrders service = i % 2 == 0 ? one : two;
            answers.add(threads.submit(() -> {
                together.await();
                arrived.countDown();
                return service.process("1001", charge);
            }));
        }
        for (Future<String> answer : answers) {
            assertThat(answer.get(Slack.seconds(20).toMillis(), TimeUnit.MILLISECONDS))
                    .isEqualTo("receipt 1");
        }
        assertThat(one.process("1001", charge)).isEqualTo("receipt 1");
        assertThat(two.process("1001", charge)).isEqualTo("receipt 1");
        assertThat(two.process("1002", charge)).isEqualTo("receipt 2");
        assertThat(charges).hasValue(2);
    }

    @Test
    void failedOrderMayBeDeliveredAgain() throws Exception {
        assertThatThrownBy(() -> one.process("1001", () -> {
                    throw new IllegalStateException("declined");
                }))
                .hasMessage("declined");
        assertThat(two.process("1001", () -> "receipt")).isEqualTo("receipt");
    }
}
