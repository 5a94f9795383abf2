// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.migration;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.LeasedSemaphore;
import io.boltwork.testkit.wait.Slack;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.redisson.api.RLock;
import org.redisson.api.RPermitExpirableSemaphore;

/** The examples of docs/move/redisson.md exclude others, before and after. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FromRedissonTest {
    private SharedRedis site;
    private final List<Boolean> takenElsewhere = new ArrayList<>();

    @BeforeAll
    void open() {
        site = new SharedRedis();
    }

    @AfterAll
    void close() {
        site.close();
    }

    @BeforeEach
    void forget() {
        takenElsewhere.clear();
    }

    @AfterEach
    void nothingIsHeld() {
        assertThat(site.redisson.getLock("stock:1001").isLocked()).isFalse();
        assertThat(site.locks.lock("stock:1001").isLocked()).isFalse();
    }

    @Test
    void aLockExcludesBeforeAndAfter() {
        FromRedisson.lockBefore(site.redisson, () -> takenElsewhere.add(isTakenForRedisson("stock:1001")));
        FromRedisson.lockAfter(site.locks, () -> takenElsewhere.add(isTakenForBoltwork("stock:1001")));
        assertThat(takenElsewhere).containsExactly(true, true);
    }

    @Test
    void aTryExcludesBeforeAndAfter() throws InterruptedException {
        String before =
                FromRedisson.tryBefore(site.redisson, () -> takenElsewhere.add(isTakenForRedisson("stock:1001")));
        String after = FromRedisson.tryAfter(site.locks, () -> takenElsewhere.add(isTakenForBoltwork("stock:1001")));
        assertThat(List.of(before, after)).containsExactly("sold", "sold");
        assertThat(takenElsewhere).containsExactly(true, true);
    }

    @Test
    void tokensGrowBeforeAndAfter() {
        List<Long> before = new ArrayList<>();
        List<Long> after = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            FromRedisson.fencedBefore(site.redisson, before::add);
            FromRedisson.fencedAfter(site.locks, after::add);
        }
        assertThat(before.get(1)).isGreaterThan(before.get(0));
        assertThat(after.get(1)).isGreaterThan(after.get(0));
        assertThat(after.get(0)).as("a table that has seen Redisson's tokens").isGreaterThan(before.get(1));
    }

    @Test
    void asynchronousCallsExcludeBeforeAndAfter() throws Exception {
        CompletableFuture<String> sale = new CompletableFuture<>();
        CompletableFuture<Boolean> begunBefore = new CompletableFuture<>();
        CompletableFuture<Boolean> begunAfter = new CompletableFuture<>();
        CompletionStage<String> before = FromRedisson.asyncBefore(site.redisson, 4711, () -> begin(begunBefore, sale));
        CompletionStage<String> after = FromRedisson.asyncAfter(site.locks, () -> begin(begunAfter, sale));
        get(begunBefore);
        get(begunAfter);
        takenElsewhere.add(isTakenForRedisson("stock:1001"));
        takenElsewhere.add(isTakenForBoltwork("stock:1001"));
        sale.complete("sold");
        assertThat(List.of(get(before), get(after))).containsExactly("sold", "sold");
        assertThat(takenElsewhere).containsExactly(true, true);
    }

    private static CompletionStage<String> begin(CompletableFuture<Boolean> begun, CompletableFuture<String> sale) {
        begun.complete(true);
        return sale;
    }

    @Test
    void aPermitIsTakenBeforeAndAfter() throws InterruptedException {
        RPermitExpirableSemaphore permits = site.redissonElsewhere.getPermitExpirableSemaphore("uploads");
        LeasedSemaphore leased = site.locksElsewhere.semaphore("uploads", 3);
        List<Integer> free = new ArrayList<>();
        FromRedisson.semaphoreBefore(site.redisson, () -> free.add(permits.availablePermits()));
        FromRedisson.semaphoreAfter(site.locks, () -> free.add(leased.availablePermits()));
        assertThat(free).containsExactly(2, 2);
        assertThat(List.of(permits.availablePermits(), leased.availablePermits()))
                .containsExactly(3, 3);
    }

    @Test
    void aMultiLockHoldsBothBeforeAndAfter() {
        FromRedisson.multiBefore(site.redisson, () -> {
            takenElsewhere.add(isTakenForRedisson("account:1"));
            takenElsewhere.add(isTakenForRedisson("account:2"));
        });
        FromRedisson.multiAfter(site.locks, () -> {
            takenElsewhere.add(isTakenForBoltwork("account:1"));
            takenElsewhere.add(isTakenForBoltwork("account:2"));
        });
        assertThat(takenElsewhere).containsExactly(true, true, true, true);
    }

    private boolean isTakenForRedisson(String name) {
        RLock lock = site.redissonElsewhere.getLock(name);
        return !lock.tryLock();
    }

    private boolean isTakenForBoltwork(String name) {
        return !site.locksElsewhere.lock(name).tryLock();
    }

    private static <T> T get(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(Slack.seconds(10).toMillis(), TimeUnit.MILLISECONDS);
    }
}
