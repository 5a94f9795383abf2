// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract.condition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.FencedLock;
import io.boltwork.contract.LockSite;
import io.boltwork.testkit.wait.Task;
import java.time.Duration;
import java.util.Date;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import org.junit.jupiter.api.Test;

/** Waits for a condition that end by their time or by an interrupt. */
@SuppressWarnings("WaitNotInLoop") // the tests are about single waits
abstract class ConditionContractEnding extends ConditionContractPart {

    private static final long LONG = TimeUnit.SECONDS.toNanos(300);

    ConditionContractEnding(LockSite site) {
        super(site);
    }

    @Test
    void aTimedWaitEndsInTimeWithTheLock() throws InterruptedException {
        FencedLock lock = newLock();
        Condition condition = lock.condition(CONDITION);
        Duration time = millis(150);
        lock.lock();
        long start = System.nanoTime();
        assertThat(condition.await(time.toMillis(), TimeUnit.MILLISECONDS)).isFalse();
        assertThat(since(start)).isBetween(time, time.plus(TOLERANCE));
        assertThat(lock.isHeldByCurrentThread()).isTrue();
        start = System.nanoTime();
        assertThat(condition.awaitNanos(time.toNanos())).isNotPositive();
        assertThat(since(start)).isBetween(time, time.plus(TOLERANCE));
        start = System.nanoTime();
        assertThat(condition.awaitUntil(new Date(System.currentTimeMillis() + time.toMillis())))
                .isFalse();
        assertThat(since(start)).isLessThan(time.plus(TOLERANCE));
        assertThat(lock.isHeldByCurrentThread()).isTrue();
        lock.unlock();
        assertThat(lock.isHeldByCurrentThread()).isFalse();
    }

    @Test
    void aWaitWithoutTimeReleasesTheLockToOthers() throws InterruptedException {
        FencedLock lock = newLock();
        lock.lock();
        Task<Long> other = visitor(newLock());
        awaitQueued(1);
        assertThat(lock.condition(CONDITION).await(0, TimeUnit.SECONDS)).isFalse();
        other.get(PROMPT); // it was before this thread in the queue
        assertThat(lock.condition(CONDITION).awaitNanos(-1)).isNegative();
        assertThat(lock.condition(CONDITION).awaitUntil(new Date(0))).isFalse();
        assertThat(lock.isHeldByCurrentThread()).isTrue();
        lock.unlock();
    }

    @Test
    void aSignalledTimedWaitSaysSo() {
        Party party = party();
        FencedLock lock = party.lock(name);
        Condition condition = lock.condition(CONDITION);
        Task<Boolean> timed = waiting(party, lock, () -> condition.await(LONG, TimeUnit.NANOSECONDS));
        Task<Long> nanos = waiting(party, lock, () -> condition.awaitNanos(LONG));
        Task<Boolean> until =
                waiting(party, lock, () -> condition.awaitUntil(new Date(System.currentTimeMillis() + 300_000)));
        signalAll(party());
        assertThat(timed.get(PROMPT)).isTrue();
        assertThat(nanos.get(PROMPT)).isPositive();
        assertThat(until.get(PROMPT)).isTrue();
    }

    @Test
    void aThreadWhoseTimeHasPassedTakesNoSignal() throws InterruptedException {
        Party party = party();
        FencedLock lock = party.lock(name);
        Task<Boolean> timed =
                waiting(party, lock, () -> lock.condition(CONDITION).await(100, TimeUnit.MILLISECONDS));
        Task<Boolean> other = waiting(party);
        assertThat(timed.get(PROMPT)).isFalse();
        signal(party());
        other.get(PROMPT);
    }

    @Test
    void aSignalBeforeTheEndOfTheTimeCountsAlthoughTheLockComesLater() {
        Party party = party();
        FencedLock lock = party.lock(name);
        Task<Boolean> timed = waiting(
                party, lock, () -> lock.condition(CONDITION).await(millis(3_000).toMillis(), TimeUnit.MILLISECONDS));
        Holder next = signalledWhileHeld(); // within these 3 s
        pass(millis(3_200));
        assertThat(timed.isDone()).isFalse();
        next.release();
        assertThat(timed.get(PROMPT)).isTrue();
    }

    /** Signals the thread that waits, and lets another one have the lock before it. */
    private Holder signalledWhileHeld() {
        FencedLock lock = newLock();
        lock.lock();
        Holder next = holdInTime(newLock());
        awaitQueued(1);
        lock.condition(CONDITION).signal();
        lock.unlock();
        next.token();
        awaitQueued(1); // the thread that was signalled
        return next;
    }

    @Test
    void anInterruptEndsTheWaitWithTheLock() {
        Party party = party();
        FencedLock lock = party.lock(name);
        Task<Boolean> waiter = waiting(party, lock, () -> {
            assertThatThrownBy(lock.condition(CONDITION)::await)
                    .isInstanceOf(InterruptedException.class)
                    .hasMessageContaining(name);
            assertThat(Thread.currentThread().isInterrupted()).isFalse();
            return lock.isHeldByCurrentThread();
        });
        waiter.interrupt();
        assertThat(waiter.get(PROMPT)).isTrue();
        awaitFree();
    }

    @Test
    void anInterruptBeforeTheWaitKeepsTheHold() {
        FencedLock lock = newLock();
        lock.lock();
        long token = tokenOf(lock);
        Thread.currentThread().interrupt();
        assertThatThrownBy(lock.condition(CONDITION)::await).isInstanceOf(InterruptedException.class);
        assertThat(tokenOf(lock)).isEqualTo(token);
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> lock.condition(CONDITION).awaitNanos(1)).isInstanceOf(InterruptedException.class);
        assertThat(tokenOf(lock)).isEqualTo(token);
        lock.unlock();
    }

    @Test
    void anInterruptAfterTheSignalIsKept() {
        Party party = party();
        FencedLock lock = party.lock(name);
        Task<Boolean> waiter = waiting(party, lock, () -> {
            lock.condition(CONDITION).await();
            return Thread.interrupted();
        });
        Holder next = signalledWhileHeld();
        waiter.interrupt();
        pass(Duration.ofMillis(100));
        assertThat(waiter.isDone()).isFalse();
        next.release();
        assertThat(waiter.get(PROMPT)).as("interrupted").isTrue();
    }

    @Test
    void anInterruptedThreadTakesNoSignal() {
        Party party = party();
        FencedLock lock = party.lock(name);
        Task<?> interrupted = waiting(party, lock, () -> {
            assertThatThrownBy(lock.condition(CONDITION)::await).isInstanceOf(InterruptedException.class);
            return true;
        });
        Task<Boolean> other = waiting(party);
        interrupted.interrupt();
        interrupted.get(PROMPT);
        signal(party());
        other.get(PROMPT);
    }

    @Test
    void anUninterruptibleWaitKeepsTheInterrupt() {
        Party party = party();
        FencedLock lock = party.lock(name);
        Task<Boolean> waiter = waiting(party, lock, () -> {
            Thread.currentThread().interrupt();
            lock.condition(CONDITION).awaitUninterruptibly();
            return Thread.interrupted();
        });
        waiter.interrupt();
        pass(Duration.ofMillis(100));
        assertThat(waiter.isDone()).isFalse();
        signal(party());
        assertThat(waiter.get(PROMPT)).isTrue();
    }
}
