// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Slack;
import io.lettuce.core.RedisClient;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A cold cache is warmed once, and read whole. */
class WarmCacheTest {
    private static final int READERS = 12;
    private static final int ENTRIES = 40;

    private final RedisServer redis = RedisServer.start();
    private final RedisClient lettuce = RedisClient.create(redis.uri());
    private final WarmCache one = new WarmCache(redis.uri(), lettuce, "prices");
    private final WarmCache two = new WarmCache(redis.uri(), lettuce, "prices");
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void close() {
        threads.shutdownNow();
        one.close();
        two.close();
        lettuce.shutdown();
        redis.close();
    }

    @Test
    void aColdCacheIsWarmedOnceAndReadWhole() throws Exception {
        AtomicInteger loads = new AtomicInteger();
        Map<String, String> all = new LinkedHashMap<>();
        for (int i = 0; i < ENTRIES; i++) {
            all.put("product-" + i, "price-" + i);
        }
        Callable<Map<String, String>> source = () -> {
            loads.incrementAndGet();
            return all;
        };
        for (int round = 1; round <= 5; round++) {
            CyclicBarrier together = new CyclicBarrier(READERS);
            List<Future<Map<String, String>>> reads = new ArrayList<>();
            for (int i = 0; i < READERS; i++) {
                WarmCache cache = i % 2 == 0 ? one : two;
                reads.add(threads.submit(() -> {
                    together.await();
                    return cache.read(source);
                }));
            }
            for (Future<Map<String, String>> read : reads) {
                assertThat(read.get(Slack.seconds(20).toMillis(), TimeUnit.MILLISECONDS))
                        .isEqualTo(all);
            }
            assertThat(loads).hasValue(round);
            one.cool();
        }
    }
}
