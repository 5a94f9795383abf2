// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.migration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.DistributedLatch;
import io.boltwork.FencedReadWriteLock;
import io.boltwork.Lease;
import io.boltwork.LeasedSemaphore;
import io.boltwork.LockInfo;
import io.boltwork.LockKind;
import io.boltwork.LockOptions;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.redisson.api.RCountDownLatch;
import org.redisson.api.RPermitExpirableSemaphore;
import org.redisson.api.RReadWriteLock;
import org.redisson.api.RSemaphore;

/** The tables of read-write locks, semaphores and latches on the page about Redisson 4.7.0. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RedissonKindsTest {
    private static final Duration SHORT = Duration.ofMillis(100);

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
    void aLatchThatWasNeverSetIsOpenInRedissonOnly() throws InterruptedException {
        RCountDownLatch old = site.redisson.getCountDownLatch("unset");
        old.await();
        old.countDown();
        assertThat(old.getCount()).isZero();

        DistributedLatch latch = site.locks.latch("unset");
        assertThat(latch.await(SHORT)).isFalse();
        assertThat(latch.count()).isZero();
        latch.trySetCount(1);
        latch.countDown("part 1");
        latch.countDown("part 1");
        assertThat(latch.await(SHORT)).isTrue();
    }

    @Test
    void aReaderThatWantsToWriteWaitsForItselfInRedissonOnly() throws InterruptedException {
        RReadWriteLock old = site.redisson.getReadWriteLock("upgrade");
        old.readLock().lock();
        assertThat(old.writeLock().tryLock(SHORT.toMillis(), TimeUnit.MILLISECONDS))
                .isFalse();
        old.readLock().unlock();
        old.writeLock().lock();
        old.readLock().lock();
        old.readLock().unlock();
        old.writeLock().unlock();

        FencedReadWriteLock lock = site.locks.readWriteLock("upgrade");
        lock.readLock().lock();
        assertThatExceptionOfType(IllegalMonitorStateException.class)
                .isThrownBy(() -> lock.writeLock().lock());
        lock.readLock().unlock();
        lock.writeLock().lock();
        lock.readLock().lock();
        lock.writeLock().unlock();
        assertThat(lock.readLock().isHeldByCurrentThread())
                .as("goes on as a reader")
                .isTrue();
        lock.readLock().unlock();
    }

    @Test
    void aSemaphoreThatWasNeverSetHasNoPermitsInRedisson() throws InterruptedException {
        RSemaphore old = site.redisson.getSemaphore("unset-permits");
        assertThat(old.tryAcquire()).isFalse();
        old.release();
        assertThat(old.availablePermits()).as("a permit that was never taken").isEqualTo(1);
        assertThat(old.trySetPermits(3)).as("set by the release").isFalse();

        LeasedSemaphore semaphore = site.locks.semaphore("unset-permits", 3);
        try (Lease two = semaphore.acquire(2)) {
            assertThat(semaphore.availablePermits()).isEqualTo(1);
            assertThat(semaphore.tryAcquire(2)).isEmpty();
            try (Lease rest = semaphore.drain().orElseThrow()) {
                assertThat(semaphore.availablePermits()).isZero();
                LockInfo info = site.locks.inspector().describe(LockKind.SEMAPHORE, "unset-permits");
                assertThat(info.capacity()).isEqualTo(3);
            }
        }
        semaphore.resize(5);
        assertThat(site.locksElsewhere.semaphore("unset-permits", 3).availablePermits())
                .isEqualTo(5);
    }

    @Test
    void aPermitOfRedissonHasALeaseOnlyIfGiven() throws InterruptedException {
        RPermitExpirableSemaphore old = site.redisson.getPermitExpirableSemaphore("permits");
        old.trySetPermits(2);
        String id = old.acquire(10, TimeUnit.SECONDS);
        assertThat(old.updateLeaseTime(id, 5, TimeUnit.SECONDS)).as("shorter").isTrue();
        assertThat(old.getLeaseTime(id)).isLessThanOrEqualTo(5_000);
        old.release(id);
        assertThatThrownBy(() -> old.release(id)).hasRootCauseInstanceOf(IllegalArgumentException.class);

        LeasedSemaphore semaphore = site.locks.semaphore("permits", 2);
        Optional<Lease> permit = semaphore
                .withOptions(LockOptions.fixedLease(Duration.ofSeconds(10)))
                .tryAcquire(SHORT);
        try (Lease lease = permit.orElseThrow()) {
            lease.extend(Duration.ofSeconds(5));
            assertThat(lease.remaining()).as("never shorter").isGreaterThan(Duration.ofSeconds(5));
        }
        permit.orElseThrow().release(); // a second release does nothing
    }
}
