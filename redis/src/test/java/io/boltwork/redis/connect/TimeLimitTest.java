// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.connect;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.testkit.wait.Await;
import io.netty.util.concurrent.DefaultEventExecutor;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class TimeLimitTest {

    private static final long MILLIS = 80;

    private final DefaultEventExecutor loop = new DefaultEventExecutor();
    private final AtomicInteger ran = new AtomicInteger();

    @AfterEach
    void stop() {
        loop.shutdownGracefully();
    }

    private TimeLimit begin() {
        return TimeLimit.begin(loop, MILLIS, ran::incrementAndGet);
    }

    /** Keeps the loop thread from everything else for longer than the limit. */
    private void starve() {
        long start = System.nanoTime();
        while (System.nanoTime() - start < 3 * MILLIS * 1_000_000) {
            LockSupport.parkNanos(1_000_000);
        }
    }

    @Test
    void theActionRunsOnceAfterItsTime() {
        long start = System.nanoTime();
        begin();
        Await.until("it ran", () -> ran.get() == 1);
        assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(MILLIS * 1_000_000);
    }

    @Test
    void whatWaitedWhileTheThreadStarvedRunsBeforeTheAction() throws Exception {
        CountDownLatch answered = new CountDownLatch(1);
        begin();
        loop.submit(() -> {
            starve();
            loop.execute(answered::countDown); // as an answer that is read next
        });
        answered.await();
        assertThat(ran.get()).as("the action ran before the answer was read").isZero();
        Await.until("it ran", () -> ran.get() == 1);
    }

    @Test
    void aCancelledLimitDoesNothing() throws Exception {
        begin().cancel();
        loop.submit(this::starve).get();
        loop.submit(() -> {}).get();
        assertThat(ran.get()).isZero();
    }
}
