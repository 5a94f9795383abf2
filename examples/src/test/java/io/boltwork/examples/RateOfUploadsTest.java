// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Slack;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Three uploads run at a time, and not more. */
class RateOfUploadsTest {
    private final RedisServer redis = RedisServer.start();
    private final RateOfUploads one = new RateOfUploads(redis.uri(), "uploads");
    private final RateOfUploads two = new RateOfUploads(redis.uri(), "uploads");
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void close() {
        threads.shutdownNow();
        one.close();
        two.close();
        redis.close();
    }

    @Test
    void threeUploadsRunAtATimeAndNotMore() throws Exception {
        CountDownLatch three = new CountDownLatch(RateOfUploads.AT_A_TIME);
        AtomicInteger running = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        Runnable body = () -> {
            most.accumulateAndGet(running.incrementAndGet(), Math::max);
            three.countDown();
            try {
                assertThat(three.await(Slack.seconds(20).toMillis(), TimeUnit.MILLISECONDS))
                        .as("three run together")
                        .isTrue();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            running.decrementAndGet();
        };
        List<Future<?>> uploads = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            RateOfUploads process = i % 2 == 0 ? one : two;
            uploads.add(threads.submit(() -> process.upload(body)));
        }
        for (Future<?> upload : uploads) {
            upload.get(Slack.seconds(20).toMillis(), TimeUnit.MILLISECONDS);
        }
        assertThat(most).hasValue(RateOfUploads.AT_A_TIME);
    }
}
