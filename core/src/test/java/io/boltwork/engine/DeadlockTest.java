// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.Doors;
import io.boltwork.FencedLock;
import io.boltwork.LeaseLostException;
import io.boltwork.LockKind;
import io.boltwork.LockListener.Blocked;
import io.boltwork.LockListener.Deadlock;
import io.boltwork.LockOptions;
import io.boltwork.LockOwner;
import io.boltwork.engine.locks.multi.EngineMultiLock;
import io.boltwork.spi.Query;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Threads of one client that wait for each other. */
class DeadlockTest extends HangingScene {

    private static final String SUSPECTED = "Deadlock: threads wait for each other. Boltwork does not break the cycle";

    private Deadlock only() {
        assertThat(deadlocks).hasSize(1);
        return deadlocks.get(0);
    }

    private static void isCycle(Deadlock deadlock, boolean certain, String... waitersAndLocks) {
        assertThat(deadlock.certain()).isEqualTo(certain);
        assertThat(deadlock.cycle())
                .extracting(blocked -> blocked.waiter() + " wants " + blocked.lockName())
                .containsExactlyInAnyOrder(waitersAndLocks);
        for (int i = 0; i < deadlock.cycle().size(); i++) {
            Blocked next = deadlock.cycle().get((i + 1) % deadlock.cycle().size());
            assertThat(deadlock.cycle().get(i).holder()).isEqualTo(next.waiter());
        }
    }

    /** Lets two threads take two locks in opposite order. */
    private void cross(FencedLock a, FencedLock b) {
        Holder one = holder("one", a);
        Holder two = holder("two", b);
        one.wants(b);
        two.wants(a);
        untilWaiting(2);
    }

    @Test
    void twoThreadsInOppositeOrderAreReportedOnceWithTheirStacks() {
        cross(lock("a"), lock("b"));
        pass(1);
        assertThat(deadlocks).as("one look may see what is over").isEmpty();
        pass(1);
        isCycle(only(), true, "thread 'one' wants b", "thread 'two' wants a");
        assertThat(only().cycle()).allSatisfy(blocked -> {
            assertThat(blocked.kind()).isEqualTo(LockKind.LOCK);
            assertThat(blocked.waited()).isEqualTo(Duration.ofSeconds(2));
            assertThat(blocked.fencingToken()).isEqualTo(client.engine.drivers.hold(blocked.lockName()).token);
            assertThat(blocked.stack()).anyMatch(frame -> frame.getMethodName().equals("lock"));
        });
        pass(60);
        assertThat(deadlocks).hasSize(1);
        assertThat(log.entries).containsExactly(SUSPECTED);
        assertThat(log.thrown.get(0).getSuppressed()).hasSize(2).allSatisfy(stack -> {
            assertThat(stack).hasMessageContaining("has waited for 2 s for the lock '");
            assertThat(stack.getStackTrace()).isNotEmpty();
        });
        assertThat(sent(Query.Inspect.class)).isEmpty();
    }

    @Test
    void ownersInOppositeOrderAreNamed() {
        List<FencedLock> first = ownedBy("first");
        List<FencedLock> second = ownedBy("second");
        start("one", () -> first.get(0).lock());
        start("two", () -> second.get(1).acquireAsync());
        until(() -> first.get(0).holdCount() == 1 && second.get(1).holdCount() == 1);
        first.get(1).acquireAsync();
        start("three", () -> second.get(0).lock());
        untilWaiting(2);
        pass(12);
        isCycle(only(), false, "owner 'first' wants b", "owner 'second' wants a"); // other code may leave the locks
    }

    private List<FencedLock> ownedBy(String name) {
        LockOwner owner = LockOwner.create(name);
        return List.of(lock("a").ownedBy(owner), lock("b").ownedBy(owner));
    }

    @Test
    void threeThreadsAreReported() {
        Holder one = holder("one", lock("a"));
        Holder two = holder("two", lock("b"));
        Holder three = holder("three", lock("c"));
        one.wants(lock("b"));
        two.wants(lock("c"));
        untilWaiting(2);
        pass(5);
        assertThat(deadlocks).isEmpty();
        three.wants(lock("a"));
        untilWaiting(3);
        pass(3);
        isCycle(only(), true, "thread 'one' wants b", "thread 'two' wants c", "thread 'three' wants a");
    }

    @Test
    void moreThreadsBehindACycleAreNotReported() {
        cross(lock("a"), lock("b"));
        pass(3);
        start("three", () -> lock("a").lock());
        Holder four = holder("four", lock("d"));
        four.wants(lock("b"));
        untilWaiting(4);
        pass(60);
        assertThat(deadlocks).hasSize(1);
    }

    @Test
    void readersAndWritersAreReported() {
        Holder writer = holder("writer", both("a").writeLock());
        Holder other = holder("other", lock("b"));
        writer.wants(lock("b"));
        other.wants(both("a").readLock());
        untilWaiting(2);
        pass(3);
        isCycle(only(), true, "thread 'writer' wants b", "thread 'other' wants a");
    }

    @Test
    void aWriterThatWaitsForReadersIsReported() {
        Holder first = holder("first", both("a").readLock());
        Holder second = holder("second", both("a").readLock());
        Holder writer = holder("writer", lock("b"));
        writer.wants(both("a").writeLock());
        untilWaiting(1);
        first.wants(lock("b"));
        untilWaiting(2);
        pass(3);
        isCycle(only(), true, "thread 'writer' wants a", "thread 'first' wants b");
        second.wants(lock("b"));
        untilWaiting(3);
        pass(3);
        assertThat(deadlocks).hasSize(2);
        isCycle(deadlocks.get(1), true, "thread 'writer' wants a", "thread 'second' wants b");
    }

    @Test
    void aReaderBehindAWriterThatMayGiveUpIsPossible() {
        Holder one = holder("one", both("a").readLock());
        Holder two = holder("two", lock("b"));
        start("writer", () -> both("a").writeLock().tryLock(1, TimeUnit.HOURS));
        untilWaiting(1);
        pass(2); // the hold of the reader is too old to be joined
        two.wants(both("a").readLock());
        one.wants(lock("b"));
        untilWaiting(3);
        pass(9);
        assertThat(deadlocks).isEmpty();
        pass(3);
        isCycle(only(), false, "thread 'one' wants b", "thread 'two' wants a");
    }

    @Test
    void readersThatWantToWriteElsewhereAreReported() {
        Holder one = holder("one", both("a").readLock());
        Holder two = holder("two", both("b").readLock());
        one.wants(both("b").writeLock());
        two.wants(both("a").writeLock());
        untilWaiting(2);
        pass(3);
        isCycle(only(), true, "thread 'one' wants b", "thread 'two' wants a");
    }

    @Test
    void aMemberOfAMultiLockIsReported() {
        Holder two = holder("two", lock("b"));
        start("one", () -> EngineMultiLock.of(lock("a"), lock("b")).lock());
        untilWaiting(1);
        two.wants(lock("a"));
        untilWaiting(2);
        pass(3);
        isCycle(only(), true, "thread 'one' wants b", "thread 'two' wants a");
    }

    @Test
    void longWaitsWithoutACycleAreNotReported() {
        holder("one", lock("a"));
        Holder two = holder("two", lock("b"));
        two.wants(lock("a"));
        start("three", () -> lock("b").lock());
        start("four", () -> lock("a").lock());
        untilWaiting(3);
        pass(120);
        assertThat(deadlocks).isEmpty();
        assertThat(log.entries).isEmpty();
        assertThat(sent(Query.Inspect.class)).as("all is known here").isEmpty();
    }

    @Test
    void aThreadThatGivesUpIsNotReported() {
        AtomicReference<Boolean> granted = new AtomicReference<>();
        Holder one = holder("one", lock("a"));
        Holder two = holder("two", lock("b"));
        one.wants(lock("b"));
        two.goesOn(() -> granted.set(lock("a").tryLock(5, TimeUnit.SECONDS)));
        untilWaiting(2);
        pass(5);
        until(() -> granted.get() != null);
        pass(60);
        assertThat(granted).hasValue(false);
        assertThat(deadlocks).isEmpty();
    }

    @Test
    void aCycleThatATimeLimitWillEndIsPossibleAfterTenSeconds() {
        Holder one = holder("one", lock("a"));
        Holder two = holder("two", lock("b"));
        one.wants(lock("b"));
        two.goesOn(() -> lock("a").tryLock(1, TimeUnit.HOURS));
        untilWaiting(2);
        pass(9);
        assertThat(deadlocks).isEmpty();
        pass(2);
        isCycle(only(), false, "thread 'one' wants b", "thread 'two' wants a");
        assertThat(log.entries).hasSize(1);
        assertThat(log.entries.get(0)).startsWith("Possible deadlock: ");
    }

    @Test
    void aCycleThatALeaseMayEndIsPossible() {
        for (LockOptions ends : new LockOptions[] {
            LockOptions.fixedLease(Duration.ofMinutes(10)), TEN.withMaxHold(Duration.ofMinutes(10))
        }) {
            String suffix = ends.isRenewed() ? "max" : "fixed";
            Holder one = holder("one", lock("a" + suffix, ends));
            Holder two = holder("two", lock("b" + suffix));
            one.wants(lock("b" + suffix));
            two.wants(lock("a" + suffix));
        }
        Holder one = new Holder();
        start("one", () -> {
            lock("a").acquire();
            one.holds = true;
            until(() -> one.next != null);
            one.next.run();
        });
        until(() -> one.holds);
        Holder two = holder("two", lock("b"));
        one.wants(lock("b"));
        two.wants(lock("a"));
        untilWaiting(6);
        pass(12);
        assertThat(deadlocks).hasSize(3).noneMatch(Deadlock::certain);
    }

    @Test
    void aCycleThatWasResolvedIsReportedAgainLater() throws Exception {
        AtomicReference<Throwable> lost = new AtomicReference<>();
        Thread[] workers = new Thread[2];
        for (int round = 1; round <= 2; round++) {
            Holder one = new Holder();
            workers[0] = start("one", () -> {
                lock("a").lock();
                one.holds = true;
                until(() -> one.next != null);
                lock("b").lock();
                lock("b").unlock();
                try {
                    lock("a").unlock();
                } catch (LeaseLostException e) {
                    lost.set(e);
                }
            });
            until(() -> one.holds);
            Holder two = new Holder();
            workers[1] = start("two", () -> {
                lock("b").lock();
                two.holds = true;
                lock("a").lock();
                lock("a").unlock();
                lock("b").unlock();
            });
            until(() -> two.holds);
            one.goesOn(() -> {});
            untilWaiting(2);
            pass(10);
            assertThat(deadlocks).hasSize(round);
            assertThat(Doors.inspector(client.engine).forceRelease("a")).isTrue();
            for (Thread worker : workers) {
                worker.join();
            }
            assertThat(lost.getAndSet(null)).isInstanceOf(LeaseLostException.class);
            pass(10);
            assertThat(deadlocks).hasSize(round);
        }
        assertThat(deadlocks).allMatch(Deadlock::certain);
    }

    @Test
    void anAsynchronousLeaseIsInNoCycle() {
        lock("a").acquireAsync().toCompletableFuture().join();
        Holder two = holder("two", lock("b"));
        two.wants(lock("a"));
        start("three", () -> lock("b").lock());
        untilWaiting(2);
        pass(60);
        assertThat(deadlocks).isEmpty();
        assertThat(sent(Query.Inspect.class)).as("no other client is involved").isEmpty();
    }

    @Test
    void aCycleIsReportedInAnOutage() {
        cross(lock("a"), lock("b"));
        client.wire = command -> null;
        pass(3);
        isCycle(only(), true, "thread 'one' wants b", "thread 'two' wants a");
        client.wire = client::execute;
    }

    @Test
    void namesInAReportArePrintable() {
        cross(lock("a\n"), lock("b\u001b"));
        pass(3);
        assertThat(only().toString()).doesNotContain("\n", "\u001b").contains("a\\u000a", "b\\u001b");
        assertThat(Arrays.stream(log.thrown.get(0).getSuppressed()).map(Throwable::toString))
                .allSatisfy(text -> assertThat(text).doesNotContain("\n", "\u001b"));
        assertThatThrownBy(() -> only().cycle().clear()).isInstanceOf(UnsupportedOperationException.class);
    }
}
