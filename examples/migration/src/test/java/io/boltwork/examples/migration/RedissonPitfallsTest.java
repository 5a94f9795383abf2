// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.migration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.DistributedLatch;
import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LeaseLostException;
import io.boltwork.LockClient;
import io.boltwork.MultiLock;
import io.boltwork.redis.RedisBackend;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Slack;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.redisson.api.RCountDownLatch;
import org.redisson.api.RFencedLock;
import org.redisson.api.RLock;
import org.redisson.api.RSemaphore;
import org.redisson.api.RedissonClient;

/** The claims of the page about Redisson 4.7.0, beside the same steps with Boltwork. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RedissonPitfallsTest {
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
    void theTwoLibrariesDoNotExcludeEachOther() {
        RLock old = site.redisson.getLock("both");
        old.lock();
        try (Lease lease = site.locks.lock("both").tryAcquire().orElseThrow()) {
            assertThat(lease.isValid()).isTrue();
            assertThat(old.isHeldByCurrentThread()).isTrue();
        } finally {
            old.unlock();
        }
    }

    @Test
    void afterALossRedissonLocksAgainAndBoltworkThrows() {
        RLock old = site.redisson.getLock("lost");
        old.lock();
        site.redis.command("DEL", "lost");
        assertThat(site.redissonElsewhere.getLock("lost").tryLock()).isTrue();
        assertThat(old.tryLock()).as("refused: another client has the lock").isFalse();
        assertThatThrownBy(old::unlock).isExactlyInstanceOf(IllegalMonitorStateException.class);
        site.redissonElsewhere.getLock("lost").unlock();
        assertThat(old.tryLock()).as("as if nothing had been lost").isTrue();
        old.unlock();

        FencedLock lock = site.locks.lock("lost");
        lock.lock();
        site.locksElsewhere.inspector().forceRelease("lost");
        Await.until("the holder learns of the loss", () -> !lock.isHeldByCurrentThread());
        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(lock::tryLock);
        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(lock::unlock);
        assertThat(lock.tryLock()).as("unwound").isTrue();
        lock.unlock();
    }

    @Test
    void redissonLeavesItsLocksWhenItIsShutDown() {
        RedissonClient leaving = site.redisson();
        leaving.getLock("left").lock();
        leaving.shutdown();
        assertThat(site.redisson.getLock("left").isLocked()).isTrue();

        LockClient closed = LockClient.create(RedisBackend.connect(site.redis.uri()));
        closed.lock("left").lock();
        closed.close();
        assertThat(site.locks.lock("left").isLocked()).isFalse();
    }

    @Test
    void redissonKeepsThePermitsOfADeadClient() throws InterruptedException {
        RedissonClient dying = site.redisson();
        RSemaphore permits = dying.getSemaphore("dead-permits");
        permits.trySetPermits(1);
        permits.acquire();
        dying.shutdown();
        assertThat(site.redis.command("PTTL", "dead-permits"))
                .as("for ever")
                .asString()
                .isEqualTo("-1");
        assertThat(site.redisson.getSemaphore("dead-permits").availablePermits())
                .isZero();
    }

    @Test
    void aNestedLockOfRedissonChangesTheToken() {
        RFencedLock old = site.redisson.getFencedLock("nested");
        Long outer = old.lockAndGetToken();
        Long inner = old.lockAndGetToken();
        assertThat(inner).isGreaterThan(outer);
        old.unlock();
        old.unlock();

        try (Lease first = site.locks.lock("nested").acquire();
                Lease second = site.locks.lock("nested").acquire()) {
            assertThat(second.fencingToken()).isEqualTo(first.fencingToken());
        }
    }

    @Test
    void theLeaseOfRedissonsFencedLockIsIgnored() {
        RFencedLock old = site.redisson.getFencedLock("leased");
        old.lockAndGetToken(1, TimeUnit.SECONDS);
        assertThat(old.remainTimeToLive()).as("the watchdog's 30 s").isGreaterThan(10_000);
        old.unlock();
    }

    @Test
    void redissonsTokensBeginAgainWhenTheirKeyIsGone() {
        RFencedLock old = site.redisson.getFencedLock("counted");
        List<Long> tokens = new ArrayList<>();
        List<Long> tokensOfBoltwork = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            tokens.add(old.lockAndGetToken());
            old.unlock();
            try (Lease lease = site.locks.lock("counted").acquire()) {
                tokensOfBoltwork.add(lease.fencingToken());
            }
            site.redis.command("FLUSHALL");
        }
        assertThat(tokens).containsExactly(1L, 1L);
        assertThat(tokensOfBoltwork.get(1)).isGreaterThan(tokensOfBoltwork.get(0));
    }

    @Test
    void redissonsLockForgetsAnInterrupt() throws Exception {
        RLock taken = site.redissonElsewhere.getLock("interrupted");
        taken.lock();
        RLock old = site.redisson.getLock("interrupted");
        WaitingThread before = new WaitingThread(old::lock, old::unlock);
        before.interruptWhileItWaits();
        taken.unlock();
        assertThat(before.outcome()).isEqualTo("locked, interrupt flag false");

        Lease lease = site.locksElsewhere.lock("interrupted").acquire();
        FencedLock lock = site.locks.lock("interrupted");
        WaitingThread after = new WaitingThread(lock::lock, lock::unlock);
        after.interruptWhileItWaits();
        lease.release();
        assertThat(after.outcome()).isEqualTo("locked, interrupt flag true");
    }

    @Test
    void redissonsMultiLockIsNotInterruptible() throws Exception {
        RLock taken = site.redissonElsewhere.getLock("multi:1");
        taken.lock();
        RLock both = site.redisson.getMultiLock(site.redisson.getLock("multi:1"), site.redisson.getLock("multi:2"));
        WaitingThread before = new WaitingThread(both::lockInterruptibly, both::unlock);
        before.interruptWhileItWaits();
        taken.unlock();
        assertThat(before.outcome()).isEqualTo("locked, interrupt flag false");

        Lease lease = site.locksElsewhere.lock("multi:1").acquire();
        MultiLock locks = site.locks.multiLock(site.locks.lock("multi:1"), site.locks.lock("multi:2"));
        WaitingThread after = new WaitingThread(locks::lockInterruptibly, locks::unlock);
        after.interruptWhileItWaits();
        assertThat(after.outcome()).isEqualTo("interrupted");
        lease.release();
    }

    @Test
    void theLeaseOfRedissonsMultiLockGrowsWhileItWaits() throws Exception {
        RLock taken = site.redissonElsewhere.getLock("growing:1");
        taken.lock();
        RLock member = site.redisson.getLock("growing:1");
        RLock both = site.redisson.getMultiLock(member, site.redisson.getLock("growing:2"));
        CompletableFuture<Long> left = new CompletableFuture<>();
        WaitingThread before = new WaitingThread(() -> both.lock(1, TimeUnit.SECONDS), () -> {
            left.complete(member.remainTimeToLive());
            both.unlock();
        });
        before.awaitItsWait();
        Thread.sleep(
                1_100); // time is the subject: each attempt converts the lease again, and the first one takes a second
        // at most
        taken.unlock();
        assertThat(before.outcome()).startsWith("locked");
        assertThat(left.get(Slack.seconds(10).toMillis(), TimeUnit.MILLISECONDS))
                .as("one second became 1,000")
                .isGreaterThan(60_000);
    }

    @Test
    void redissonsLatchOpensWhenItsKeyIsGone() throws InterruptedException {
        RCountDownLatch old = site.redisson.getCountDownLatch("parts");
        old.trySetCount(1);
        DistributedLatch latch = site.locks.latch("parts");
        latch.trySetCount(1);
        site.redis.command("FLUSHALL");
        assertThat(old.await(0, TimeUnit.SECONDS)).as("nothing was counted").isTrue();
        assertThat(latch.await(Duration.ZERO)).isFalse();
    }

    private interface Locking {
        void lock() throws InterruptedException;
    }

    /** A thread that is interrupted while it waits for a lock. */
    private static final class WaitingThread {
        private final CompletableFuture<String> outcome = new CompletableFuture<>();
        private final Thread thread;

        WaitingThread(Locking locking, Runnable unlock) {
            thread = new Thread(() -> {
                try {
                    locking.lock();
                    outcome.complete("locked, interrupt flag " + Thread.interrupted());
                    unlock.run();
                } catch (InterruptedException interrupt) {
                    outcome.complete("interrupted");
                } catch (RuntimeException failure) {
                    outcome.completeExceptionally(failure);
                }
            });
        }

        void awaitItsWait() {
            thread.start();
            Await.until("the thread waits for the release", this::waitsForTheRelease);
        }

        void interruptWhileItWaits() {
            awaitItsWait();
            thread.interrupt();
            Await.until("it has noticed the interrupt", () -> !thread.isInterrupted());
        }

        /** Returns whether the thread waits for the lock, and not for an answer of Redis. */
        private boolean waitsForTheRelease() {
            Thread.State state = thread.getState();
            return (state == Thread.State.WAITING || state == Thread.State.TIMED_WAITING)
                    && Arrays.stream(thread.getStackTrace())
                            .map(StackTraceElement::getClassName)
                            .anyMatch(name -> name.equals("java.util.concurrent.Semaphore")
                                    || name.equals("io.boltwork.engine.Callers"));
        }

        String outcome() throws Exception {
            return outcome.get(Slack.seconds(10).toMillis(), TimeUnit.MILLISECONDS);
        }
    }
}
