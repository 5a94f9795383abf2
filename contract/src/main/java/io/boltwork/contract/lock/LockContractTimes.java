// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.boltwork.BackendException;
import io.boltwork.DistributedLatch;
import io.boltwork.FencedLock;
import io.boltwork.FencedReadWriteLock;
import io.boltwork.Lease;
import io.boltwork.LeasedSemaphore;
import io.boltwork.LockTimeoutException;
import io.boltwork.contract.LockSite;
import io.boltwork.contract.part.ContractPart;
import io.boltwork.spi.Capability;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Slack;
import io.boltwork.testkit.wait.Task;
import java.time.Duration;
import java.util.Date;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import org.junit.jupiter.api.Test;

/**
 * Waits of extreme lengths. Negative ones are none, and the longest ones have no end, as in
 * {@code java.util.concurrent}.
 */
abstract class LockContractTimes extends ContractPart {

    private static final List<Long> NONE = List.of(Long.MIN_VALUE, Long.MIN_VALUE + 1, -1L, 0L, 1L);
    private static final List<Long> ENDLESS = List.of(Long.MAX_VALUE - 1, Long.MAX_VALUE);
    private static final Duration LEASE = Duration.ofMinutes(1);

    LockContractTimes(LockSite site) {
        super(site);
    }

    /**
     * A call that waits for at most a time, in nanoseconds. Returns whether it got what it waited for, and gives that
     * back.
     */
    private interface Wait {
        boolean succeeds(long nanos) throws Exception;
    }

    /** Returns a duration of about that many nanoseconds: the extreme ones exceed those of a {@code long}. */
    private static Duration duration(long nanos) {
        if (nanos == Long.MIN_VALUE) {
            return Duration.ofSeconds(Long.MIN_VALUE);
        } else if (nanos == Long.MIN_VALUE + 1) {
            return Duration.ofSeconds(Long.MIN_VALUE, 5_000_000);
        }
        return nanos == Long.MAX_VALUE ? Duration.ofSeconds(Long.MAX_VALUE, 999_999_999) : Duration.ofNanos(nanos);
    }

    private static List<Wait> waits(FencedLock lock) {
        return List.of(
                nanos -> left(lock, lock.tryLock(nanos, TimeUnit.NANOSECONDS)),
                nanos -> left(lock, lock.tryLock(Math.abs(nanos) == 1 ? 0 : nanos, TimeUnit.DAYS)),
                nanos -> left(lock, lock.tryLock(duration(nanos), LEASE)),
                nanos -> left(lock.tryAcquire(duration(nanos))),
                nanos -> {
                    lock.run(duration(nanos), () -> {});
                    return true;
                },
                nanos -> left(joined(lock.tryAcquireAsync(duration(nanos)).toCompletableFuture())),
                nanos -> joined(lock.callAsync(duration(nanos), lease -> CompletableFuture.completedFuture(true))
                        .toCompletableFuture()));
    }

    private static List<Wait> waits(LeasedSemaphore semaphore) {
        return List.of(
                nanos -> left(semaphore.tryAcquire(duration(nanos))),
                nanos -> left(semaphore.tryAcquire(1, duration(nanos))),
                nanos -> left(
                        joined(semaphore.tryAcquireAsync(1, duration(nanos)).toCompletableFuture())),
                nanos -> joined(semaphore
                        .callAsync(duration(nanos), lease -> CompletableFuture.completedFuture(true))
                        .toCompletableFuture()));
    }

    private static boolean left(FencedLock lock, boolean got) {
        if (got) {
            lock.unlock();
        }
        return got;
    }

    private static boolean left(Optional<Lease> got) {
        got.ifPresent(Lease::release);
        return got.isPresent();
    }

    private static <T> T joined(CompletableFuture<T> future) throws Exception {
        try {
            return future.get(Slack.seconds(60).toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof RuntimeException failure ? failure : e;
        }
    }

    private static boolean succeeds(Wait wait, long nanos) throws Exception {
        try {
            return wait.succeeds(nanos);
        } catch (LockTimeoutException refused) {
            return false;
        } catch (BackendException unknown) {
            assertThat(nanos).as("the only time that ends before an answer").isOne();
            return false;
        }
    }

    private static void endsAtOnce(Wait wait, long nanos) throws Exception {
        long start = System.nanoTime();
        assertThat(succeeds(wait, nanos)).as("%,d ns", nanos).isFalse();
        assertThat(since(start)).as("%,d ns", nanos).isLessThan(Slack.of(PROMPT));
    }

    /**
     * Checks the waits of a client.
     *
     * @param holds takes what the waits are for, and returns what gives it back
     */
    private void check(Party here, Callable<Runnable> holds, List<Wait> waits) throws Exception {
        for (Wait wait : waits) {
            Runnable release = holds.call();
            for (long nanos : NONE) {
                endsAtOnce(wait, nanos);
            }
            for (long nanos : ENDLESS) {
                Task<Boolean> task = start(() -> succeeds(wait, nanos));
                Await.until("it waits", () -> here.client().health().waiting() == 1);
                release.run();
                assertThat(task.get()).as("%,d ns", nanos).isTrue();
                release = holds.call();
            }
            release.run();
        }
    }

    private Callable<Runnable> holds(FencedLock lock) {
        return () -> hold(lock)::release;
    }

    @Test
    void aWaitForALockMayHaveAnyLength() throws Exception {
        Party here = party();
        check(here, holds(newLock()), waits(here.lock(name)));
    }

    @Test
    void aWaitForSeveralLocksMayHaveAnyLength() throws Exception {
        Party here = party();
        check(here, holds(newLock()), waits(here.client().multiLock(here.lock(name + 2), here.lock(name))));
    }

    @Test
    void aWaitForASideOfAReadWriteLockMayHaveAnyLength() throws Exception {
        needs(Capability.SHARES);
        Party here = party();
        FencedReadWriteLock lock = here.client().readWriteLock(name);
        FencedLock writer = party().client().readWriteLock(name).writeLock();
        check(here, holds(writer), waits(lock.readLock()));
        check(here, holds(writer), waits(lock.writeLock()));
    }

    @Test
    void aWaitForPermitsMayHaveAnyLength() throws Exception {
        needs(Capability.SHARES);
        Party here = party();
        LeasedSemaphore there = party().client().semaphore(name, 1);
        check(here, () -> there.acquire()::release, waits(here.client().semaphore(name, 1)));
    }

    @Test
    void aWaitForALatchMayHaveAnyLength() throws Exception {
        needs(Capability.LATCHES);
        DistributedLatch latch = party().client().latch(name);
        List<Wait> waits = List.of(
                nanos -> latch.await(duration(nanos)),
                nanos -> joined(latch.awaitAsync(duration(nanos)).toCompletableFuture()));
        for (Wait wait : waits) {
            for (long nanos : ENDLESS) {
                latch.trySetCount(1);
                for (long none : NONE) {
                    endsAtOnce(wait, none);
                }
                Task<Boolean> task = start(() -> succeeds(wait, nanos));
                latch.countDown();
                assertThat(task.get()).as("%,d ns", nanos).isTrue();
            }
        }
    }

    @Test
    @SuppressWarnings("WaitNotInLoop") // how each wait ends is what is tested
    void aWaitForASignalMayHaveAnyLength() throws Exception {
        needs(Capability.CONDITIONS);
        FencedLock lock = newLock();
        Condition condition = lock.condition("changed");
        List<Wait> waits = List.of(
                nanos -> {
                    long left = condition.awaitNanos(nanos);
                    assertThat(left).as("what is left").isLessThanOrEqualTo(nanos);
                    return left > 0;
                },
                nanos -> condition.await(nanos, TimeUnit.NANOSECONDS),
                nanos -> condition.await(nanos == 1 ? 0 : nanos, TimeUnit.DAYS),
                nanos -> condition.awaitUntil(new Date(nanos)));
        for (Wait wait : waits) {
            lock.lock();
            for (long nanos : NONE) {
                endsAtOnce(wait, nanos);
            }
            lock.unlock();
            for (long nanos : ENDLESS) {
                Task<Boolean> task = start(() -> {
                    lock.lock();
                    try {
                        return wait.succeeds(nanos);
                    } finally {
                        lock.unlock();
                    }
                });
                Await.until("it was signalled", () -> {
                    lock.lock();
                    condition.signalAll();
                    lock.unlock();
                    return task.isDone();
                });
                assertThat(task.get()).as("%,d ns", nanos).isTrue();
            }
        }
    }

    @Test
    void aWaitForReleasesMayHaveAnyLength() throws Exception {
        Party here = party();
        Wait wait = nanos -> here.client().awaitReleases(duration(nanos));
        for (long nanos : ENDLESS) {
            Holder holder = hold(here.lock(name));
            for (long none : NONE) {
                endsAtOnce(wait, none);
            }
            Task<Boolean> task = start(() -> wait.succeeds(nanos));
            holder.release();
            assertThat(task.get()).isTrue();
        }
    }

    @Test
    void anExtensionOfAnExtremeLengthIsRefused() {
        try (Lease lease = newLock().acquire()) {
            for (long nanos :
                    List.of(Long.MIN_VALUE, Long.MIN_VALUE + 1, -1L, 0L, 1L, Long.MAX_VALUE - 1, Long.MAX_VALUE)) {
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> lease.extend(duration(nanos)))
                        .withMessageStartingWith("atLeast must be between 1 ms and 365 days");
            }
            assertThat(lease.isValid()).isTrue();
        }
    }
}
