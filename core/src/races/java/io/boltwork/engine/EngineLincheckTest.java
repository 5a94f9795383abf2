// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import static io.boltwork.engine.Interleavings.check;
import static io.boltwork.engine.Interleavings.together;

import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LeaseLoss;
import io.boltwork.LeaseLoss.Reason;
import io.boltwork.LockOptions;
import io.boltwork.engine.drive.LeaseRenewer;
import io.boltwork.engine.drive.LockDriver;
import io.boltwork.engine.locks.EngineLock;
import io.boltwork.machine.request.Hold;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * The parts of the engine that several threads use at once, tested with the whole engine. Each test takes seconds, so
 * most of them run only with {@code -Dboltwork.proof=true}.
 */
@Tag("interleavings")
class EngineLincheckTest {

    private static final long SECOND = Duration.ofSeconds(1).toNanos();
    private static final long LEASE = 9 * SECOND;
    private static final LockOptions OPTIONS = LockOptions.renewedLease(Duration.ofNanos(LEASE));

    /** Checks that the lock is free, locally and at the server, after all remaining work is done. */
    private static void checkFree(StillClient client) {
        check(client.engine.drivers.hold("lock") == null, "still held locally");
        client.passTo(client.now() + 3 * SECOND);
        check(client.isFree(), "left behind at the server");
        check(client.engine.drivers.count() == 0, "left behind in the client");
        check(client.isSound(), "a defect");
    }

    @Test
    void aLastMomentCancellationLeavesNoUnseenHold() {
        Interleavings.of(40, () -> {
            StillClient client = new StillClient();
            Lease first = client.lock(OPTIONS).acquire();
            CompletableFuture<Lease> wish = client.lock(OPTIONS).acquireAsync().toCompletableFuture();
            together(() -> first.releaseAsync(), () -> wish.cancel(false));
            check(wish.isDone(), "neither granted nor cancelled");
            if (!wish.isCancelled()) {
                Lease lease = wish.join();
                check(lease.isValid(), "granted, and not held");
                lease.releaseAsync();
            }
            checkFree(client);
        });
    }

    @Test
    @EnabledIfSystemProperty(named = "boltwork.proof", matches = "true")
    void aLeaseIsReleasedOnce() {
        Interleavings.of(40, () -> {
            StillClient client = new StillClient();
            FencedLock lock = client.lock(OPTIONS);
            Lease outer = lock.acquire();
            Lease inner = lock.acquire();
            together(inner::releaseAsync, inner::releaseAsync);
            check(outer.isValid(), "the other level was released");
            outer.releaseAsync();
            checkFree(client);
        });
    }

    @Test
    @EnabledIfSystemProperty(named = "boltwork.proof", matches = "true")
    void releaseAndWhenLostBothReportALossOrNeitherDoes() {
        Interleavings.of(40, () -> {
            StillClient client = new StillClient();
            Lease lease = client.lock(OPTIONS).acquire();
            Hold hold = client.engine.drivers.hold("lock");
            CompletableFuture<LeaseLoss> before = lease.whenLost().toCompletableFuture();
            CompletableFuture<?>[] told = new CompletableFuture<?>[2];
            together(() -> told[0] = lease.releaseAsync().toCompletableFuture(), () -> {
                hold.lose(Reason.TAKEN);
                told[1] = lease.whenLost().toCompletableFuture();
            });
            check(told[0].isDone(), "the release has not ended");
            check(told[0].isCompletedExceptionally() == before.isDone(), "told by one alone");
            check(told[0].isCompletedExceptionally() == told[1].isDone(), "told by one alone");
            checkFree(client);
        });
    }

    /** The earlier round replaces the later one, and both will fire. */
    @Test
    @EnabledIfSystemProperty(named = "boltwork.proof", matches = "true")
    void anEarlierRenewalRoundLosesNoLock() {
        Interleavings.of(40, () -> {
            StillClient client = new StillClient();
            LockOptions longer = LockOptions.renewedLease(Duration.ofNanos(9 * LEASE));
            Lease[] leases = new Lease[2];
            together(
                    () -> leases[0] = new EngineLock(client.engine, "one", OPTIONS).acquire(),
                    () -> leases[1] = new EngineLock(client.engine, "other", longer).acquire());
            client.passTo(2 * LEASE + SECOND);
            check(leases[0].isValid() && leases[1].isValid(), "not renewed");
        });
    }

    /** The last lock of a round takes the place of one that leaves it. */
    @Test
    @EnabledIfSystemProperty(named = "boltwork.proof", matches = "true")
    void aLockThatLeavesARoundRemovesNoOther() {
        Interleavings.of(40, () -> {
            StillClient client = new StillClient();
            Lease[] leases = new Lease[3];
            for (int i = 0; i < leases.length; i++) {
                leases[i] = new EngineLock(client.engine, "lock " + i, OPTIONS).acquire();
            }
            LockDriver[] drivers = client.engine.drivers.all().toArray(new LockDriver[0]);
            StillClient.Task round = client.takeNext();
            client.moveTo(round.at);
            LeaseRenewer leaseRenewer = client.engine.drivers.leaseRenewer;
            together(
                    () -> leaseRenewer.visit(drivers[0], client.now(), LEASE),
                    () -> leaseRenewer.visit(drivers[1], client.now(), LEASE));
            together(round::run, () -> leaseRenewer.visit(drivers[0], client.now() + 1, LEASE));
            client.passTo(client.now() + 3 * LEASE);
            for (Lease lease : leases) {
                check(lease.isValid(), "not renewed");
            }
        });
    }

    @Test
    @EnabledIfSystemProperty(named = "boltwork.proof", matches = "true")
    void aHoldThatBeginsDuringARenewalRoundIsVisited() {
        Interleavings.of(40, () -> {
            StillClient client = new StillClient();
            client.lock(LockOptions.renewedLease(Duration.ofNanos(10 * LEASE))).acquire();
            StillClient.Task round = client.takeNext();
            client.moveTo(round.at);
            Lease[] lease = new Lease[1];
            together(round::run, () -> lease[0] = new EngineLock(client.engine, "other", OPTIONS).acquire());
            client.passTo(client.now() + LEASE + SECOND);
            check(lease[0].isValid(), "not renewed");
        });
    }

    @Test
    @EnabledIfSystemProperty(named = "boltwork.proof", matches = "true")
    void aTimerReplacedWhileItFiresLosesNothing() {
        Interleavings.of(40, () -> {
            StillClient client = new StillClient();
            client.holdElsewhere(20 * SECOND);
            AtomicInteger granted = new AtomicInteger();
            FencedLock lock = client.lock(OPTIONS);
            CompletableFuture<Lease> wish = lock.acquireAsync().toCompletableFuture();
            CompletableFuture<?> other = lock.acquireAsync().toCompletableFuture();
            StillClient.Task timer = client.takeNext();
            client.moveTo(timer.at);
            together(timer::run, () -> other.cancel(false));
            client.freeElsewhereUnheard();
            client.passTo(client.now() + 25 * SECOND);
            check(wish.isDone(), "the waiter has not asked again");
            wish.join().releaseAsync();
            checkFree(client);
        });
    }
}
