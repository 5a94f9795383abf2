// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.diagnose;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.boltwork.ClientOptions;
import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LockKind;
import io.boltwork.LockListener.LongHold;
import io.boltwork.LockListener.LongWait;
import io.boltwork.engine.HangingScene;
import io.boltwork.engine.locks.EngineSemaphore;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Holds and waits that last for longer than the options of the client say. */
class DurationWatchTest extends HangingScene {

    private static final Duration HOLD = Duration.ofSeconds(40);
    private static final Duration WAIT = Duration.ofSeconds(20);
    private static final String ME = Thread.currentThread().getName();

    DurationWatchTest() {
        super(ClientOptions.defaults().withLongHold(HOLD).withLongWait(WAIT));
    }

    @Test
    void aLongHoldIsReportedOnceWithTheStackOfItsThread() {
        holder("one", lock("a"));
        lock("b").lock();
        pass(30);
        lock("b").unlock();
        assertThat(longHolds).isEmpty();
        pass(16);
        assertThat(longHolds).hasSize(1);
        LongHold event = longHolds.get(0);
        assertThat(event.kind()).isEqualTo(LockKind.LOCK);
        assertThat(event.lockName()).isEqualTo("a");
        assertThat(event.owner()).isEqualTo("thread 'one'");
        assertThat(event.fencingToken()).isEqualTo(client.engine.drivers.hold("a").token);
        assertThat(event.held()).isBetween(HOLD, HOLD.plusSeconds(6));
        assertThat(event.stack()).anyMatch(frame -> frame.getMethodName().equals("until"));
        pass(120);
        assertThat(longHolds).hasSize(1);
        assertThat(log.entries).containsExactly("A lock has been held for a long time");
        assertThat(log.thrown.get(0)).hasMessageStartingWith("thread 'one' with fencing token ");
        assertThat(log.thrown.get(0).getStackTrace()).isEqualTo(event.stack().toArray());
    }

    @Test
    void aLongHoldOfAHandleIsReportedWithoutAStack() {
        Lease lease = lock("a").acquireAsync().toCompletableFuture().join();
        pass(46);
        assertThat(longHolds)
                .extracting(LongHold::owner, hold -> hold.stack().size())
                .containsExactly(tuple("a handle of thread '" + ME + "'", 0));
        lease.release();
        lock("a").acquireAsync().toCompletableFuture().join();
        pass(46);
        assertThat(longHolds).as("another hold").hasSize(2);
    }

    @Test
    void longReadersAreReportedEach() {
        holder("one", both("a").readLock());
        holder("two", both("a").readLock());
        lock("b").lock();
        both("c").writeLock().lock();
        pass(60);
        assertThat(longHolds)
                .extracting(LongHold::owner, LongHold::lockName)
                .containsExactlyInAnyOrder(
                        tuple("thread 'one'", "a"),
                        tuple("thread 'two'", "a"),
                        tuple("thread '" + ME + "'", "b"),
                        tuple("thread '" + ME + "'", "c"));
        pass(60);
        assertThat(longHolds).hasSize(4);
    }

    @Test
    void aLongWaitIsReportedOnceWithTheStackOfItsThread() {
        holder("one", lock("a"));
        start("two", () -> lock("a").lock());
        start("three", () -> lock("a").tryLock(15, TimeUnit.SECONDS));
        untilWaiting(2);
        pass(19);
        assertThat(longWaits).isEmpty();
        pass(2);
        assertThat(longWaits).hasSize(1);
        LongWait event = longWaits.get(0);
        assertThat(event.kind()).isEqualTo(LockKind.LOCK);
        assertThat(event.lockName()).isEqualTo("a");
        assertThat(event.asker()).isEqualTo("two");
        assertThat(event.waited()).isBetween(WAIT, WAIT.plusSeconds(1));
        assertThat(event.stack()).anyMatch(frame -> frame.getMethodName().equals("lock"));
        assertThat(log.entries).containsExactly("A caller has been waiting for a lock for a long time");
        assertThat(log.thrown.get(0)).hasMessage("thread 'two' has waited for the lock 'a' for 20 s");
        pass(10);
        assertThat(longWaits).hasSize(1);
    }

    @Test
    @SuppressWarnings("WaitNotInLoop") // one wait is enough
    void aWaitForAConditionIsNotALongWait() {
        FencedLock lock = lock("a");
        AtomicBoolean holds = new AtomicBoolean();
        start("two", () -> {
            lock.lock();
            holds.set(true);
            lock.condition("c").awaitUninterruptibly();
            lock.unlock();
        });
        until(() -> holds.get() && client.engine.drivers.hold("a") == null);
        pass(120);
        assertThat(longWaits).isEmpty();
    }

    @Test
    void longWaitsOfHandlesAndSemaphoresAreReported() {
        holder("one", lock("a"));
        EngineSemaphore permits = new EngineSemaphore(client.engine, "s", 1, TEN);
        Lease taken = permits.acquire();
        CompletableFuture<Lease> handle = lock("a").acquireAsync().toCompletableFuture();
        CompletableFuture<Lease> gone = lock("a").acquireAsync().toCompletableFuture();
        start("two", () -> permits.acquire());
        untilWaiting(3);
        until(() -> client.engine.longWaits.since(client.now(), 0).size() == 3); // they are noted a little later
        pass(10);
        gone.cancel(false);
        pass(11);
        assertThat(longWaits)
                .extracting(
                        LongWait::kind, LongWait::asker, wait -> wait.stack().isEmpty())
                .containsExactlyInAnyOrder(tuple(LockKind.LOCK, ME, true), tuple(LockKind.SEMAPHORE, "two", false));
        handle.cancel(false);
        assertThat(client.engine.longWaits.since(client.now(), 0)).hasSize(1);
        assertThat(taken.isValid()).isTrue(); // and reachable until here
    }
}
