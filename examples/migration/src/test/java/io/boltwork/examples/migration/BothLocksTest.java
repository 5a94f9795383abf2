// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.migration;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.testkit.wait.Slack;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;

/** While services are replaced, no increment is lost. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BothLocksTest {
    private static final int TURNS = 100;

    private SharedRedis site;

    @BeforeAll
    void open() {
        site = new SharedRedis();
    }

    @AfterAll
    void close() {
        site.close();
    }

    @Test
    void oldServicesAndServicesWithBothExcludeEachOther() throws Exception {
        RLock old = site.redissonElsewhere.getLock("first-step");
        count("first-step", site.redisson, site.locks, increment -> {
            old.lock();
            try {
                increment.run();
            } finally {
                old.unlock();
            }
        });
    }

    @Test
    void servicesWithBothAndNewServicesExcludeEachOther() throws Exception {
        count("second-step", site.redisson, site.locks, increment -> {
            try (Lease lease = site.locksElsewhere.lock("second-step").acquire()) {
                increment.run();
            }
        });
    }

    @Test
    void aTryIsRefusedIfEitherLockIsTaken() throws InterruptedException {
        BothLocks both = both("tried", site.redisson, site.locks);
        RLock old = site.redissonElsewhere.getLock("tried");
        List<Long> done = new ArrayList<>();
        old.lock();
        assertThat(both.tryRun(Duration.ofMillis(20), lease -> done.add(1L))).isFalse();
        old.unlock();
        try (Lease lease = site.locksElsewhere.lock("tried").acquire()) {
            assertThat(both.tryRun(Duration.ofMillis(20), held -> done.add(2L))).isFalse();
            assertThat(lease.isValid()).isTrue();
        }
        assertThat(both.tryRun(Duration.ofSeconds(10), lease -> done.add(3L))).isTrue();
        assertThat(done).containsExactly(3L);
        assertThat(old.isLocked()).isFalse();
        assertThat(site.locksElsewhere.lock("tried").isLocked()).isFalse();
    }

    private interface Service {
        void run(Runnable increment);
    }

    /** Two threads with both locks and two of another service increment a counter that only the locks protect. */
    private static void count(String name, RedissonClient redisson, LockClient locks, Service other) throws Exception {
        int[] counter = {0};
        Runnable increment = () -> {
            int read = counter[0];
            Thread.yield();
            counter[0] = read + 1;
        };
        BothLocks both = both(name, redisson, locks);
        Callable<@Nullable Void> withBoth = () -> repeat(() -> both.run(lease -> increment.run()));
        Callable<@Nullable Void> withOne = () -> repeat(() -> other.run(increment));
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            List<Future<@Nullable Void>> results = new ArrayList<>();
            for (Callable<@Nullable Void> service : List.of(withBoth, withOne, withBoth, withOne)) {
                results.add(threads.submit(service));
            }
            for (Future<@Nullable Void> result : results) {
                result.get(Slack.seconds(60).toMillis(), TimeUnit.MILLISECONDS);
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(counter[0]).isEqualTo(4 * TURNS);
    }

    private static BothLocks both(String name, RedissonClient redisson, LockClient locks) {
        return new BothLocks(redisson.getLock(name), locks.lock(name));
    }

    private static @Nullable Void repeat(Runnable turn) {
        for (int i = 0; i < TURNS; i++) {
            turn.run();
        }
        return null;
    }
}
