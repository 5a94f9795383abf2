// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LeaseLostException;
import io.boltwork.LockOptions;
import io.boltwork.LockOwner;
import io.boltwork.MultiLock;
import io.boltwork.engine.locks.EngineLock;
import io.boltwork.engine.locks.EngineReadWriteLock;
import io.boltwork.engine.locks.multi.EngineMultiLock;
import io.boltwork.spi.Command;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The calls of owners that are not threads: one hold for all of an owner's calls, on whatever thread. */
@Timeout(60)
class OwnerRulesTest extends EngineScene {

    private final LockOwner order = LockOwner.create("order 42");
    private final LockOwner other = LockOwner.create("order 43");

    private EngineLock lock(LockOptions options, LockOwner owner) {
        return new EngineLock(client.engine, "lock", options).ownedBy(owner);
    }

    private CompletableFuture<Lease> asks(FencedLock lock) {
        return lock.acquireAsync().toCompletableFuture();
    }

    // ---- nesting

    @Test
    void allFormsOfAnOwnerShareOneHold() throws InterruptedException {
        FencedLock lock = lock(TEN, order);
        Lease first = granted(asks(lock));
        lock.lock();
        Lease second = lock.acquire();
        Lease third = granted(asks(lock));
        assertThat(lock.tryLock()).isTrue();
        inThread("another", () -> {
            assertThat(lock.isHeldByCurrentThread()).isTrue();
            lock.lock();
        });
        assertThat(List.of(second, third)).allMatch(lease -> lease.fencingToken() == first.fencingToken());
        assertThat(lock.holdCount()).isEqualTo(6);
        assertThat(sent(Command.Acquire.class)).hasSize(1);
        first.release(); // in any order
        lock.unlock();
        lock.unlock();
        inThread("a third", lock::unlock);
        second.release();
        assertThat(lock.holdCount()).isEqualTo(1);
        assertThat(sent(Command.Release.class)).isEmpty();
        third.release();
        assertThat(sent(Command.Release.class)).hasSize(1);
        assertThat(lock.isHeldByCurrentThread()).isFalse();
    }

    @Test
    void ownersExcludeEachOtherAndThreads() throws InterruptedException {
        Lease held = granted(asks(lock(TEN, order)));
        CompletableFuture<Lease> waits = asks(lock(TEN, other));
        assertThat(client.lock(TEN).tryLock()).isFalse();
        assertThat(lock(TEN, LockOwner.create("order 42")).tryLock()).isFalse(); // another object, although of one name
        assertThat(waits).isNotDone();
        held.release();
        assertThat(granted(waits).fencingToken()).isGreaterThan(held.fencingToken());
        granted(waits).release();
    }

    @Test
    void unlockNamesTheOwnerThatHoldsNothing() {
        FencedLock lock = lock(TEN, order);
        assertThatThrownBy(lock::unlock)
                .isInstanceOf(IllegalMonitorStateException.class)
                .hasMessageContaining("The owner 'order 42' does not hold the lock 'lock'")
                .hasMessageContaining("by the same owner");
        Lease lease = lock.acquire();
        assertThatThrownBy(lock::unlock)
                .isInstanceOf(IllegalMonitorStateException.class)
                .hasMessageContaining("by a lease");
        assertThatThrownBy(() -> lock(TEN, other).unlock()).hasMessageContaining("it is held by owner 'order 42'");
        lease.release();
    }

    @Test
    void bodiesMayNestAndOutliveEachOther() {
        FencedLock lock = lock(TEN, order);
        CompletableFuture<String> inner = new CompletableFuture<>();
        CompletableFuture<String> innerCall = new CompletableFuture<>();
        CompletableFuture<String> outer = lock.callAsync(Duration.ZERO, lease -> {
                    lock.callAsync(Duration.ZERO, again -> inner)
                            .whenComplete((value, failure) -> innerCall.complete(value));
                    return CompletableFuture.completedFuture("outer");
                })
                .toCompletableFuture();
        assertThat(outer).isCompletedWithValue("outer");
        assertThat(lock.holdCount()).isEqualTo(1); // what outlives the outer call keeps the hold
        assertThat(lock(TEN, other).tryLock()).isFalse();
        inner.complete("inner");
        assertThat(innerCall).isCompletedWithValue("inner");
        assertThat(lock(TEN, other).tryLock()).isTrue();
        lock(TEN, other).unlock();
    }

    // ---- calls at the same time

    @Test
    void callsThatWaitTogetherGoOnTogether() {
        callsGoOnTogether(TEN);
    }

    @Test
    void callsThatWaitInLineGoOnTogether() {
        callsGoOnTogether(FIFO);
    }

    private void callsGoOnTogether(LockOptions options) {
        holdElsewhere(60_000);
        CompletableFuture<Lease> first = asks(lock(options, order));
        CompletableFuture<Lease> between = asks(lock(options, other));
        CompletableFuture<Lease> second = asks(lock(options, order));
        CompletableFuture<Lease> cancelled = asks(lock(options, order));
        cancelled.cancel(true);
        freeElsewhere();
        pass(2_000);
        assertThat(granted(second).fencingToken()).isEqualTo(granted(first).fencingToken());
        assertThat(between).isNotDone();
        granted(first).release();
        pass(2_000);
        assertThat(between).isNotDone();
        granted(second).release();
        pass(2_000);
        granted(between).release();
        pass(2_000);
        assertThat(look().holders()).isEmpty();
        assertThat(look().queue()).isEmpty();
    }

    @Test
    void aGrantServesATryThatWaits() throws InterruptedException {
        holdElsewhere(60_000);
        FencedLock lock = lock(TEN, order);
        CompletableFuture<Lease> first = asks(lock);
        client.schedule(this::freeElsewhere, 1_000 * MILLI);
        Optional<Lease> second = lock.tryAcquire(Duration.ofSeconds(10));
        assertThat(second).isPresent();
        assertThat(second.get().fencingToken()).isEqualTo(granted(first).fencingToken());
        granted(first).release();
        assertThat(lock.holdCount()).isEqualTo(1);
        for (int i = 0; i < 3; i++) {
            System.gc(); // finds no lease that was forgotten
            pass(10_000);
        }
        assertThat(kept(second.get()).isValid()).isTrue();
        second.get().release();
    }

    @Test
    void aMultiLockThatGivesUpLeavesTheHoldsOfOtherCalls() throws InterruptedException {
        holdElsewhere(60_000);
        CompletableFuture<Lease> first = asks(lock(TEN, order));
        MultiLock all = EngineMultiLock.of(client.engine, client.lock(TEN), new EngineLock(client.engine, "two", TEN))
                .ownedBy(order);
        client.server.execute(new Command.Acquire("two", "other:2", true, 60_000, 0, Long.MAX_VALUE));
        client.schedule(this::freeElsewhere, 1_000 * MILLI);
        assertThat(all.tryAcquire(Duration.ofSeconds(5))).isEmpty();
        assertThat(granted(first).isValid()).isTrue();
        assertThat(lock(TEN, order).holdCount()).isEqualTo(1);
        granted(first).release();
        assertThat(look().holders()).isEmpty();
    }

    // ---- loss

    @Test
    void aLossConcernsAllCallsUntilAllHaveLeft() {
        FencedLock lock = lock(FIXED, order);
        Lease first = granted(asks(lock));
        Lease second = granted(asks(lock));
        pass(11_000);
        assertThat(first.isValid()).isFalse();
        CompletableFuture<Lease> third = asks(lock);
        assertThat(third).isCompletedExceptionally();
        assertThatThrownBy(third::join).hasCauseInstanceOf(LeaseLostException.class);
        assertThatThrownBy(first::release).isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(lock::lock).isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(second::release).isInstanceOf(LeaseLostException.class);
        granted(asks(lock)).release();
    }

    @Test
    void aCoolDownMayBeginAnew() throws InterruptedException {
        FencedLock lock = lock(FIXED, order);
        assertThat(lock.tryLock()).isTrue();
        pass(11_000);
        assertThat(lock.tryLock()).isTrue();
        lock.unlock();
    }

    @Test
    void anOwnerThatNobodyKnowsIsNoLongerRenewed() {
        lock(TEN, LockOwner.create("forgotten")).lock();
        long acquired = now();
        do {
            System.gc();
            pass(10_000);
        } while (!look().holders().isEmpty() && now() < acquired + 600_000);
        assertThat(look().holders()).isEmpty();
    }

    @Test
    void aLeaseKeepsTheHoldOfAnOwnerThatNobodyKnows() {
        Lease lease = kept(lock(TEN, LockOwner.create("forgotten")).acquire());
        for (int i = 0; i < 3; i++) {
            System.gc();
            pass(10_000);
        }
        assertThat(lease.isValid()).isTrue();
        lease.release();
    }

    // ---- several locks

    @Test
    void anOwnerThatWritesMayReadButNotTheOtherWayAround() {
        EngineReadWriteLock both = new EngineReadWriteLock(client.engine, "both", TEN);
        FencedLock read = both.readLock().ownedBy(order);
        FencedLock write = both.writeLock().ownedBy(order);
        Lease writing = granted(asks(write));
        Lease reading = granted(asks(read));
        Lease readingAgain = granted(asks(read));
        writing.release();
        assertThat(readingAgain.isValid()).isTrue();
        CompletableFuture<Lease> again = asks(write);
        assertThat(again).isCompletedExceptionally();
        assertThatThrownBy(again::join)
                .hasRootCauseInstanceOf(IllegalMonitorStateException.class)
                .hasMessageContaining("The owner 'order 42' holds the read lock of 'both'");
        reading.release();
        readingAgain.release();
        granted(asks(write)).release();
    }

    @Test
    void readersThatWaitTogetherReadTogether() {
        EngineReadWriteLock both = new EngineReadWriteLock(client.engine, "both", TEN);
        Lease writing = granted(asks(both.writeLock()));
        FencedLock read = both.readLock().ownedBy(order);
        CompletableFuture<Lease> first = asks(read);
        CompletableFuture<Lease> second = asks(read);
        writing.release();
        assertThat(granted(second).fencingToken()).isEqualTo(granted(first).fencingToken());
        granted(first).release();
        assertThat(read.holdCount()).isEqualTo(1);
        granted(second).release();
        granted(asks(both.writeLock())).release();
    }

    @Test
    void aMultiLockOfAnOwnerIsReentrant() {
        MultiLock all = EngineMultiLock.of(client.engine, client.lock(TEN), new EngineLock(client.engine, "two", TEN))
                .ownedBy(order);
        Lease first = granted(asks(all));
        Lease second = granted(asks(all));
        all.lock();
        assertThat(first.of(client.lock(TEN)).isValid()).isTrue();
        assertThat(first.of(lock(TEN, order)).isValid()).isTrue();
        assertThat(all.holdCount()).isEqualTo(3);
        assertThat(lock(TEN, order).holdCount()).isEqualTo(3);
        first.release();
        all.unlock();
        second.release();
        assertThat(look().holders()).isEmpty();
        assertThatThrownBy(() -> EngineMultiLock.of(client.engine, client.lock(TEN), lock(TEN, order)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("given twice");
    }

    // ---- arguments

    @Test
    void whatCannotBeOwnedIsRefused() {
        assertThatThrownBy(() -> LockOwner.create("")).hasMessageContaining("name must not be empty");
        assertThatThrownBy(() -> lock(TEN.withOnLoss(LockOptions.OnLoss.INTERRUPT), order))
                .isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> lock(TEN, order).withOptions(TEN.withOnLoss(LockOptions.OnLoss.INTERRUPT)))
                .isInstanceOf(UnsupportedOperationException.class);
        assertThat(lock(TEN, order)).isEqualTo(lock(TEN, order)).isNotEqualTo(lock(TEN, other));
        assertThat(lock(TEN, order).toString()).contains("order 42");
    }
}
