// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.FencedLock;
import io.boltwork.FencedReadWriteLock;
import io.boltwork.Lease;
import io.boltwork.LeaseLoss;
import io.boltwork.LeaseLostException;
import io.boltwork.LockKind;
import io.boltwork.LockListener;
import io.boltwork.LockListener.Absence;
import io.boltwork.LockOptions;
import io.boltwork.engine.drive.LockKey;
import io.boltwork.engine.locks.EngineReadWriteLock;
import io.boltwork.engine.locks.EngineSemaphore;
import io.boltwork.machine.request.LockTerms;
import io.boltwork.machine.request.Waiter;
import io.boltwork.spi.Command;
import io.boltwork.spi.ForceRelease;
import io.boltwork.spi.Query;
import io.boltwork.spi.Resize;
import io.boltwork.spi.Share;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The events and log messages of a lock, and their order. */
class LockNewsTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final LockOptions OPTIONS = LockOptions.renewedLease(Duration.ofSeconds(10));

    private final StillClient client = new StillClient();

    {
        client.timePassesInSleep = true;
    }

    private final FencedLock lock = client.lock(OPTIONS);
    private final String me = Thread.currentThread().getName();
    private final List<Object> heard = new ArrayList<>();
    private final LogBook log = new LogBook();

    private final class Listener implements LockListener {
        @Override
        public void waited(Waited event) {
            heard.add(event);
        }

        @Override
        public void acquired(Acquired event) {
            heard.add(event);
        }

        @Override
        public void handedOver(HandedOver event) {
            heard.add(event);
        }

        @Override
        public void released(Released event) {
            heard.add(event);
        }

        @Override
        public void lost(Lost event) {
            heard.add(event);
        }

        @Override
        public void restored(Restored event) {
            heard.add(event);
        }

        @Override
        public void abandoned(Abandoned event) {
            heard.add(event);
        }

        @Override
        public void releaseFailed(ReleaseFailed event) {
            heard.add(event);
        }
    }

    @BeforeEach
    void listen() {
        client.engine.core.listeners.add(new Listener());
    }

    @AfterEach
    void leave() {
        log.close();
    }

    private void pass(Duration time) {
        client.passTo(client.now() + time.toNanos());
    }

    private void hears(Object... events) {
        assertThat(heard).containsExactly(events);
        heard.clear();
    }

    private void logs(String... parts) {
        assertThat(log.entries).hasSameSizeAs(parts);
        for (int i = 0; i < parts.length; i++) {
            assertThat(log.entries.get(i)).contains(parts[i]);
        }
        log.entries.clear();
    }

    @Test
    void waitsHoldsAndReleasesAreReportedWithTheirTimes() {
        client.holdElsewhere(SECOND.toNanos());
        CompletableFuture<Lease> wish = lock.acquireAsync().toCompletableFuture();
        pass(SECOND);
        client.server.execute(new Command.Withdraw("lock", "other:1", 0));
        Lease lease = wish.join();
        String owner = "a handle of thread '" + me + "'";
        hears(
                new LockListener.Waited(LockKind.LOCK, "lock", me, LockListener.Outcome.GRANTED, SECOND),
                new LockListener.Acquired(LockKind.LOCK, "lock", lease.fencingToken(), owner, SECOND));
        pass(SECOND);
        lease.release();
        hears(new LockListener.Released(LockKind.LOCK, "lock", lease.fencingToken(), owner, SECOND));
        logs();
    }

    @Test
    void aHandoverIsReportedWithBothTokens() {
        Lease first = lock.acquire();
        CompletableFuture<Lease> wish = lock.acquireAsync().toCompletableFuture();
        logs(); // the first hold belongs to the thread
        heard.clear();
        first.release();
        Lease second = wish.join();
        String owner = "a handle of thread '" + me + "'";
        hears(
                new LockListener.Released(
                        LockKind.LOCK, "lock", first.fencingToken(), "thread '" + me + "'", Duration.ZERO),
                new LockListener.HandedOver(LockKind.LOCK, "lock", first.fencingToken(), second.fencingToken(), owner),
                new LockListener.Waited(LockKind.LOCK, "lock", me, LockListener.Outcome.GRANTED, Duration.ZERO),
                new LockListener.Acquired(LockKind.LOCK, "lock", second.fencingToken(), owner, Duration.ZERO));
        assertThat(second.fencingToken()).isEqualTo(first.fencingToken() + 1);
    }

    @Test
    void aThreadThatWaitsForItselfIsWarned() {
        lock.acquireAsync();
        assertThat(lock.tryLock()).isFalse();
        logs(); // a try does not wait
        Waiter waiter = Waiter.of(Thread.currentThread(), LockTerms.of(OPTIONS), false, false);
        client.engine.drivers.request("lock", waiter);
        logs("Thread '" + me + "' waits for the lock 'lock', which is held by an asynchronous lease that");
        client.engine.drivers.cancel("lock", waiter, false);
        lock.acquireAsync();
        logs(); // a handle does not wait for its thread either
    }

    @Test
    void aWriterIsWarnedIfItWaitsForAReaderOfItsOwnThreadOnly() throws InterruptedException {
        FencedReadWriteLock prices = new EngineReadWriteLock(client.engine, "prices", OPTIONS);
        Lease writing = prices.writeLock().acquireAsync().toCompletableFuture().join();
        List<CompletableFuture<Lease>> readers = new ArrayList<>();
        EngineScene.inThread(
                "another", () -> readers.add(prices.readLock().acquireAsync().toCompletableFuture()));
        writing.release(); // this thread runs the machine, which gives the reader its turn
        requestToWrite();
        logs();
        readers.add(prices.readLock().acquireAsync().toCompletableFuture());
        assertThat(readers).as("a turn of both").allMatch(CompletableFuture::isDone);
        requestToWrite();
        logs("Thread '" + me + "' waits for the lock 'prices', which is held by an asynchronous lease that");
    }

    private void requestToWrite() {
        LockTerms terms = LockTerms.of(OPTIONS, Share.WRITE.permits());
        client.engine.drivers.request(
                LockKey.of(LockKind.READ_WRITE, "prices"), Waiter.of(Thread.currentThread(), terms, false, false));
    }

    @Test
    void aThreadThatHoldsTheLockDoesNotWaitForItself() {
        lock.lock();
        client.engine.drivers.request("lock", Waiter.of(Thread.currentThread(), LockTerms.of(OPTIONS), false, false));
        logs();
    }

    @Test
    void aClientThatIsConfiguredWithOtherPermitsIsWarnedOnce() {
        client.server.execute(new Command.Acquire(
                "uploads", "other:1", true, 60_000, 0, Long.MAX_VALUE, new Share(LockKind.SEMAPHORE, 1, 3, 0)));
        EngineSemaphore uploads = new EngineSemaphore(client.engine, "uploads", 5, OPTIONS);
        uploads.acquire(1).release();
        uploads.acquire(2).release();
        logs("The semaphore 'uploads' has 3 permits, and this client is configured with 5");
        client.server.execute(new Resize("uploads", LockKind.SEMAPHORE, 4));
        uploads.acquire(3).release();
        logs(); // a number that was set counts for all
    }

    @Test
    void aRestoreIsReported() {
        Lease lease = lock.acquire();
        heard.clear();
        client.server.delete("lock");
        client.engine.backendWatch.connected(client.server.time());
        hears(new LockListener.Restored(LockKind.LOCK, "lock", lease.fencingToken(), "thread '" + me + "'"));
        logs("The lock 'lock' of thread '" + me + "' with fencing token " + lease.fencingToken() + " was restored");
    }

    @Test
    void aTakenHoldIsReportedOnce() {
        pass(Duration.ofSeconds(20));
        Lease lease = lock.acquire();
        heard.clear();
        pass(Duration.ofSeconds(2));
        client.server.execute(new ForceRelease("lock", 0));
        pass(Duration.ofSeconds(3));
        assertThat(heard).hasSize(1);
        LockListener.Lost lost = (LockListener.Lost) heard.get(0);
        assertThat(lost.fencingToken()).isEqualTo(lease.fencingToken());
        assertThat(lost.owner()).isEqualTo("thread '" + me + "'");
        assertThat(lost.held()).isBetween(SECOND, Duration.ofSeconds(5));
        assertThat(lost.loss().reason()).isEqualTo(LeaseLoss.Reason.TAKEN);
        logs("The lock 'lock' was lost by thread '" + me + "' with fencing token " + lease.fencingToken() + ": TAKEN");
        heard.clear();
        assertThatThrownBy(lease::release).isInstanceOf(LeaseLostException.class);
        hears(); // a lost hold was not released
    }

    private String lostBy(String owner, long token) {
        return "The lock 'lock' was lost by " + owner + " with fencing token " + token + ": EXPIRED";
    }

    @Test
    void theEndOfAFixedLeaseIsLoggedAsALossOnlyWhenItsOwnerReleasesTooLate() {
        for (Duration lease : List.of(SECOND, Duration.ofSeconds(5))) {
            lock.lock(lease);
            long token = lock.currentLease().orElseThrow().fencingToken();
            String me = "thread '" + this.me + "'";
            heard.clear();
            pass(Duration.ofSeconds(6));
            assertThat(heard).singleElement().isInstanceOf(LockListener.Lost.class);
            logs("The fixed lease of the lock 'lock' has ended: " + me + " with fencing token " + token);
            assertThatThrownBy(lock::unlock).isInstanceOf(LeaseLostException.class);
            logs(lostBy(me, token));
        }
    }

    @Test
    void theLateReleaseOfAHandleIsLoggedOnce() {
        Lease lease = lock.withOptions(LockOptions.fixedLease(SECOND)).acquire();
        Lease nested = lock.acquire();
        pass(Duration.ofSeconds(2));
        log.entries.clear();
        assertThatThrownBy(nested::release).isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(lease::release).isInstanceOf(LeaseLostException.class);
        logs(lostBy("thread '" + me + "'", lease.fencingToken()));
    }

    @Test
    void aLateReleaseThatFindsTheEndItselfIsLogged() {
        Lease lease = lock.withOptions(LockOptions.fixedLease(SECOND)).acquire();
        client.moveTo(client.now() + Duration.ofSeconds(2).toNanos());
        assertThatThrownBy(lease::release).isInstanceOf(LeaseLostException.class);
        assertThat(log.entries).anyMatch(entry -> entry.equals(lostBy("thread '" + me + "'", lease.fencingToken())));
    }

    @Test
    void theEndOfAFixedLeaseThatIsWatchedIsLoggedAsALossAtOnce() {
        Lease lease = lock.withOptions(LockOptions.fixedLease(SECOND)).acquire();
        lease.whenLost();
        pass(Duration.ofSeconds(2));
        logs(lostBy("thread '" + me + "'", lease.fencingToken()));
        assertThatThrownBy(lease::release).isInstanceOf(LeaseLostException.class);
        logs();
    }

    @Test
    void aFixedLeaseThatWasTakenIsLoggedAsALossAtOnce() {
        Lease lease =
                lock.withOptions(LockOptions.fixedLease(Duration.ofSeconds(30))).acquire();
        client.server.execute(new ForceRelease("lock", 0));
        pass(Duration.ofSeconds(20));
        logs("with fencing token " + lease.fencingToken() + ": TAKEN");
    }

    @Test
    void aHoldThatEndsWithItsClientIsReportedButNotLogged() {
        lock.acquire();
        heard.clear();
        client.engine.drivers.post("lock", driver -> driver.machine.close());
        assertThat(heard).hasSize(1);
        logs();
    }

    @Test
    void anAbandonedHoldIsReportedOnceAndNotRenewed() throws InterruptedException {
        EngineScene.inThread("the owner", lock::lock);
        long token = client.engine.drivers.hold("lock").token;
        heard.clear();
        pass(Duration.ofSeconds(5));
        client.engine.backendWatch.connected(client.server.time()); // the hold is verified again
        hears(new LockListener.Abandoned(LockKind.LOCK, "lock", token, "thread 'the owner'", Absence.THREAD_ENDED));
        logs("thread 'the owner' with fencing token " + token + " is gone and has not released it (THREAD_ENDED)");
        pass(Duration.ofSeconds(6));
        assertThat(heard).hasSize(1).hasOnlyElementsOfType(LockListener.Lost.class);
    }

    @Test
    void anUnansweredReleaseIsReportedOnceAndRepeated() {
        Lease lease = lock.acquire();
        client.wire = command -> null;
        CompletableFuture<Void> release = lease.releaseAsync().toCompletableFuture();
        assertThat(release).isNotDone();
        heard.clear();
        pass(Duration.ofSeconds(2));
        assertThat(release).isCompleted();
        pass(Duration.ofSeconds(4));
        hears(new LockListener.ReleaseFailed(LockKind.LOCK, "lock", lease.fencingToken(), "thread '" + me + "'"));
        logs("The backend has not answered the release of the lock 'lock' by thread '" + me + "'");
        client.wire = client.server::execute;
        pass(Duration.ofSeconds(2));
        assertThat((client.server.execute(new Query.Inspect("lock"))).owner()).isNull();
    }

    @Test
    void theOutcomeOfAWaitIsReported() {
        client.holdElsewhere(Duration.ofSeconds(60).toNanos());
        lock.acquireAsync().toCompletableFuture().cancel(false);
        assertThat(lock.tryAcquire()).isEmpty();
        client.engine.drivers.post("lock", driver -> {
            driver.machine.close();
            driver.machine.request(Waiter.ofHandle(LockTerms.of(OPTIONS), false));
        });
        assertThat(heard)
                .extracting(event -> ((LockListener.Waited) event).outcome())
                .containsExactly(
                        LockListener.Outcome.CANCELLED, LockListener.Outcome.REFUSED, LockListener.Outcome.FAILED);
    }
}
