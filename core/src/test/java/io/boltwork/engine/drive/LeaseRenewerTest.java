// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.drive;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.BackendException;
import io.boltwork.Lease;
import io.boltwork.LeaseLoss;
import io.boltwork.LockListener;
import io.boltwork.LockOptions;
import io.boltwork.engine.EngineScene;
import io.boltwork.engine.StillClient;
import io.boltwork.engine.locks.EngineLock;
import io.boltwork.machine.kind.Exclusive;
import io.boltwork.spi.Command;
import io.boltwork.spi.Reply;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Tests with a client whose clock moves only on request, and a server that answers unless a test changes that. */
class LeaseRenewerTest {

    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final LockOptions THREE_SECONDS = LockOptions.renewedLease(Duration.ofSeconds(3));

    private final StillClient client = new StillClient();

    {
        client.timePassesInSleep = true;
    }

    private final List<Command.Renew> renewals = new ArrayList<>();
    private final List<Lease> leases = new ArrayList<>();

    private Lease acquire(String name, LockOptions options) {
        Lease lease = new EngineLock(client.engine, name, options).acquire();
        leases.add(lease); // otherwise it counts as abandoned when the garbage collector finds it
        return lease;
    }

    private void passSeconds(long seconds) {
        client.passTo(client.now() + seconds * SECOND);
    }

    /** Lets time pass until the next renewal is sent, and returns that time. */
    private long passToRenewal() {
        int before = renewals.size();
        while (renewals.size() == before) {
            client.passTo(client.next().at);
        }
        return client.now();
    }

    private void watchRenewals() {
        client.wire = command -> {
            if (command instanceof Command.Renew renew) {
                renewals.add(renew);
            }
            return client.server.execute(command);
        };
    }

    @Test
    void aLeaseIsRenewedAtEachThirdWhileItIsHeld() {
        watchRenewals();
        Lease lease = acquire("lock", THREE_SECONDS);
        passSeconds(30);
        assertThat(lease.isValid()).isTrue();
        assertThat(renewals).hasSizeBetween(28, 31); // thirds of a lease, the first up to a ninth shorter
        lease.release();
        renewals.clear();
        passSeconds(30);
        assertThat(renewals).isEmpty();
        assertThat(client.isFree()).isTrue();
    }

    @Test
    void renewalsThatAreRefusedAreToldBeforeTheLoss() {
        List<String> told = new ArrayList<>();
        client.engine.listen(new LockListener() {
            @Override
            public void backendWarning(BackendWarning event) {
                told.add(event.text());
            }

            @Override
            public void lost(Lost event) {
                told.add("lost");
            }
        });
        for (boolean isRetryable : new boolean[] {false, true}) {
            told.clear();
            client.passTo(client.now() + 61 * SECOND); // told once a minute at most
            Lease lease = acquire("lock " + isRetryable, THREE_SECONDS);
            client.wire = command -> command instanceof Command.Renew
                    ? new Reply.Failed(false, new BackendException("cannot cast type", isRetryable, null))
                    : client.server.execute(command);
            passSeconds(2);
            assertThat(client.engine.renewalLag()).isPositive();
            passSeconds(2);
            assertThat(lease.isValid()).isFalse();
            assertThat(told).hasSize(2);
            assertThat(told.get(0)).contains("not being renewed", "cannot cast type");
            assertThat(told.get(1)).isEqualTo("lost");
            assertThat(client.engine.backendWatch.passingWarnings())
                    .singleElement()
                    .satisfies(warning -> assertThat(warning).contains("cannot cast type"));
            client.wire = client.server::execute;
            Lease next = acquire("next", THREE_SECONDS);
            passSeconds(4);
            assertThat(client.engine.backendWatch.passingWarnings()).isEmpty();
            next.release();
        }
    }

    @Test
    void eachLockIsVisitedAsItsOwnLeaseRequires() {
        List<Lease> leases = List.of(
                acquire("slow", LockOptions.renewedLease(Duration.ofSeconds(60))),
                acquire("quick", THREE_SECONDS),
                acquire("fixed", LockOptions.fixedLease(Duration.ofSeconds(100))),
                acquire("slow too", LockOptions.renewedLease(Duration.ofSeconds(60))));
        passSeconds(90);
        assertThat(leases).allMatch(Lease::isValid);
    }

    @Test
    void theFirstVisitIsWithinAThirdAndEachOtherAThirdLater() {
        watchRenewals();
        client.moveTo(SECOND / 10);
        acquire("lock", THREE_SECONDS);
        long acquired = client.now();
        long first = passToRenewal();
        assertThat(first - acquired).isBetween(2 * SECOND / 3, SECOND);
        assertThat(passToRenewal()).isEqualTo(first + 3 * (3 * SECOND / 9));
    }

    @Test
    void aShorterLeaseIsVisitedEarlierThanItsPredecessor() {
        acquire("lock", LockOptions.renewedLease(Duration.ofSeconds(60))).release();
        Lease lease = acquire("lock", THREE_SECONDS);
        passSeconds(30);
        assertThat(lease.isValid()).isTrue();
    }

    @Test
    void aLockThatLeavesARoundRemovesNoOther() {
        List<Lease> leases = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            leases.add(acquire("lock " + i, LockOptions.renewedLease(Duration.ofSeconds(30))));
        }
        for (int leaving : new int[] {0, 3, 1}) { // the first, the one that took its place, and one in the middle
            leases.remove(leaving).release();
            passSeconds(2); // the lock is forgotten
            assertThat(client.engine.drivers.leaseRenewer.planned()).isEqualTo(leases.size());
        }
        passSeconds(60);
        assertThat(leases).hasSize(2).allMatch(Lease::isValid);
        assertThat(client.isSound()).isTrue();
    }

    @Test
    void anEmptyRoundIsFollowedByTheNext() {
        acquire("left", LockOptions.renewedLease(Duration.ofSeconds(30))).release();
        passSeconds(2); // the lock is forgotten, long before its round
        Lease lease = acquire("lock", LockOptions.renewedLease(Duration.ofSeconds(60)));
        passSeconds(15); // the round that is empty by now
        Lease quick = acquire("quick", THREE_SECONDS);
        passSeconds(90);
        assertThat(lease.isValid() && quick.isValid()).isTrue();
        assertThat(client.isSound()).isTrue();
    }

    @Test
    void planningALockForTheSameRoundAgainCostsNothing() {
        var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        LockDriver driver = new LockDriver("lock", client.engine.drivers, Exclusive.LOCK);
        client.engine.drivers.leaseRenewer.visit(driver, 20 * SECOND, 9 * SECOND);
        long round = driver.visitAt;
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < 1_000; i++) { // repeatedly, each time a little later
            client.engine.drivers.leaseRenewer.visit(driver, round - SECOND + 1 + i, 9 * SECOND);
        }
        assertThat(threads.getCurrentThreadAllocatedBytes() - before)
                .isLessThan(10_000); // an allocation each time: 192,000
        assertThat(driver.visitAt).isEqualTo(round);
        client.engine.drivers.leaseRenewer.forget(driver);
    }

    @Test
    void anEarlyTimerIsStartedAgain() {
        Lease lease = acquire("lock", THREE_SECONDS);
        client.takeNext().run(); // long before it is due
        passSeconds(10);
        assertThat(lease.isValid()).isTrue();
    }

    @Test
    void aLockAcquiredDuringItsVisitIsVisitedAgain() {
        acquire("lock", THREE_SECONDS).release();
        StillClient.Task round = client.takeNext(); // planned for the first hold, and finds the second
        client.moveTo(round.at);
        AtomicInteger taken = new AtomicInteger();
        client.engine.listen(
                new LockListener() {
                    @Override
                    public void acquired(Acquired event) {
                        taken.incrementAndGet();
                        round.run();
                    }
                },
                Runnable::run);
        Lease lease = acquire("lock", THREE_SECONDS);
        assertThat(taken).hasValue(1);
        passSeconds(10);
        assertThat(lease.isValid()).isTrue();
    }

    @Test
    void renewalsDueTogetherAreSentInFullCommands() {
        for (int i = 0; i < 257; i++) {
            acquire("lock " + i, THREE_SECONDS);
        }
        watchRenewals();
        client.passTo(3 * SECOND / 2);
        assertThat(renewals).extracting(renew -> renew.items().size()).containsExactly(128, 128, 1);
    }

    @Test
    void aFailedRenewalIsRepeatedANinthOfTheLeaseLater() {
        Lease lease = acquire("lock", THREE_SECONDS);
        List<Long> sent = new ArrayList<>();
        client.wire = command -> {
            if (command instanceof Command.Renew) {
                sent.add(client.now());
                client.moveTo(client.now() + SECOND / 5); // time in transit
                return new Reply.Failed(true, new BackendException("broken", true, null));
            }
            return client.server.execute(command);
        };
        passSeconds(2);
        assertThat(sent).hasSizeBetween(2, 3);
        assertThat(sent.get(1) - sent.get(0)).isBetween(SECOND / 3 + SECOND / 5, SECOND);
        client.wire = client.server::execute;
        passSeconds(10);
        assertThat(lease.isValid()).isTrue();
    }

    @Test
    void anUnansweredRenewalIsRepeatedToo() {
        Lease lease = acquire("lock", THREE_SECONDS);
        client.wire = command -> null;
        passSeconds(2);
        client.wire = client.server::execute;
        passSeconds(10);
        assertThat(lease.isValid()).isTrue();
    }

    @Test
    void answersSlowerThanANinthOfTheLeaseStillCount() {
        Lease lease = acquire("lock", THREE_SECONDS);
        client.delay = 2 * SECOND / 3;
        passSeconds(30);
        assertThat(lease.isValid()).isTrue();
    }

    @Test
    void aSuccessCountsAtOnce() {
        Lease lease = acquire("lock", THREE_SECONDS);
        watchRenewals();
        client.passTo(client.next().at);
        assertThat(renewals).hasSize(1);
        assertThat(lease.remaining()).isBetween(Duration.ofMillis(2_900), Duration.ofSeconds(3));
        assertThat(client.engine.health().renewalLag()).isZero();
    }

    @Test
    void aSuccessCountsForAsLongAsTheLongestLeaseOfItsBatch() {
        Lease longer = acquire("long", LockOptions.renewedLease(Duration.ofSeconds(90)));
        acquire("short", LockOptions.renewedLease(Duration.ofSeconds(9)));
        watchRenewals();
        while (renewals.isEmpty() || renewals.get(renewals.size() - 1).items().size() < 2) {
            passToRenewal();
        }
        passSeconds(11); // the shorter lease would have ended, and several rounds have passed
        assertThat(longer.remaining()).isBetween(Duration.ofSeconds(78), Duration.ofSeconds(79));
    }

    @Test
    void aSuccessReportedAfterTheDeadlineDoesNotCount() {
        Lease lease = acquire("lock", THREE_SECONDS);
        client.delay = 5 * SECOND / 2;
        long renewed = client.next().at;
        client.passTo(renewed);
        StillClient.Task answer;
        do {
            answer = client.takeNext(); // no check happens before it arrives
        } while (answer.at < renewed + client.delay);
        client.moveTo(7 * SECOND / 2);
        answer.run();
        assertThat(lease.isValid()).isFalse();
        assertThat(EngineScene.holdOf(lease).loss())
                .extracting(LeaseLoss::reason)
                .isEqualTo(LeaseLoss.Reason.EXPIRED);
    }

    @Test
    void theLossOfOneLeaseDoesNotHideTheOthersSuccess() {
        List<Lease> leases = new ArrayList<>();
        for (String name : List.of("one", "lock", "other")) {
            leases.add(acquire(name, THREE_SECONDS));
        }
        client.freeElsewhereUnheard();
        client.holdElsewhere(100 * SECOND);
        client.passTo(client.next().at);
        assertThat(leases).extracting(Lease::isValid).containsExactly(true, false, true);
        assertThat(leases.get(2).remaining()).isGreaterThan(Duration.ofMillis(2_900));
        passSeconds(10);
        assertThat(leases).extracting(Lease::isValid).containsExactly(true, false, true);
    }

    @Test
    void aLongerLeaseInASharedRoundIsRepeatedInTimeToo() {
        Lease longer = acquire("long", LockOptions.renewedLease(Duration.ofSeconds(6)));
        client.passTo(3 * SECOND / 5);
        Lease shorter = acquire("short", THREE_SECONDS); // to be visited in the same round
        client.passTo(6 * SECOND / 5);
        List<Long> sent = new ArrayList<>();
        client.wire = command -> {
            if (command instanceof Command.Renew renew
                    && renew.items().stream().anyMatch(item -> item.lock().equals("long"))) {
                sent.add(client.now());
            }
            return null;
        };
        client.passTo(5 * SECOND / 2);
        assertThat(sent).hasSizeGreaterThanOrEqualTo(2);
        assertThat(sent.get(1) - sent.get(0)).isBetween(2 * SECOND / 3, 8 * SECOND / 10);
        client.wire = client.server::execute;
        passSeconds(10);
        assertThat(longer.isValid() && shorter.isValid()).isTrue();
    }

    @Test
    void answersToRenewalsTellTheServersClock() {
        Lease lease = acquire("lock", THREE_SECONDS);
        client.server.advance(Duration.ofSeconds(1));
        passSeconds(2);
        assertThat(client.engine.core.clocks.of(0).millisAt(client.now()))
                .isEqualTo(client.server.time().millis());
        assertThat(lease.isValid()).isTrue();
    }
}
