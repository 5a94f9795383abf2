// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LeaseLoss;
import io.boltwork.LockClient;
import io.boltwork.LockListener;
import io.boltwork.LockOptions;
import io.boltwork.LockOptions.Fairness;
import io.boltwork.spi.LockBackend;
import io.boltwork.testkit.wait.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Tests the effects on other clients of a JVM that is killed (SIGKILL) or frozen (SIGSTOP) while it holds a lock or
 * waits for it.
 */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
@Tag("load")
class CrashPromisesTest extends Promises {
    private static final String LOCK = "promised";

    /** The lease of holders that will be killed. */
    private static final long LEASE = millis(1_000).toMillis();

    private static final String RENEWED = "renewed:" + LEASE;

    // ================================================================ 9

    @TimedTest
    @EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
    void twentyKilledWaitersDelayALiveOneByATenthOfASecond() {
        List<RemoteClient> doomed = remotes(4);
        BehindTwenty inOrder = new BehindTwenty(Fairness.FIFO, doomed);
        BehindTwenty inBatches = new BehindTwenty(Fairness.BATCHED, doomed);
        doomed.forEach(RemoteClient::kill);
        Duration fifo = inOrder.cost();
        Duration batched = inBatches.cost();
        report(9, "20 dead waiters cost %.1f ms (FIFO), %.1f ms (BATCHED)", ms(fifo), ms(batched));
        atMost(100, fifo, "FIFO");
        atMost(100, batched, "BATCHED");
    }

    /** Measures the wait of a live waiter behind 20 waiters of other JVMs, for a lock that is held here. */
    private final class BehindTwenty {
        private final String name;
        private final FencedLock ours;
        private final CompletableFuture<Arrival> waiter;
        private Duration undisturbed = Duration.ZERO;

        BehindTwenty(Fairness fairness, List<RemoteClient> doomed) {
            name = LOCK + ":" + fairness;
            LockOptions options = LockOptions.defaults().withFairness(fairness);
            ours = history.recorded(client().lock(name, options));
            FencedLock live = client().lock(name, options);
            for (int i = 0; i < 3; i++) { // the last round counts, when everything is warmed up
                ours.lock();
                CompletableFuture<Arrival> next = visitor(live);
                awaitQueued(name, 1);
                undisturbed = unlock(ours, next);
            }
            ours.lock();
            for (int i = 0; i < 20; i++) {
                String thread = fairness + "-" + i;
                RemoteClient jvm = doomed.get(i % doomed.size());
                if (fairness == Fairness.BATCHED) { // otherwise the waiters of a JVM would share one place in the queue
                    jvm.tell(thread, "own");
                    jvm.expect(thread, "opened");
                }
                jvm.tell(thread, "visit " + name + " " + fairness.name().toLowerCase(Locale.ROOT));
                awaitQueued(name, i + 1);
            }
            waiter = visitor(live);
            awaitQueued(name, 21);
        }

        /** Returns the time from the unlock until the live waiter has the lock, less the time with an empty queue. */
        Duration cost() {
            return unlock(ours, waiter).minus(undisturbed);
        }
    }

    /** Returns the time from the unlock until the waiter has the lock. */
    private static Duration unlock(FencedLock lock, CompletableFuture<Arrival> waiter) {
        long start = System.nanoTime();
        lock.unlock();
        return Duration.ofNanos(get(waiter).nanos() - start);
    }

    // ================================================================ 10

    @Test
    @EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
    void aFrozenNextWaiterDelaysTheOthersByOneClaim() {
        List<RemoteClient> frozen = remotes(2);
        List.of(thread(() -> waitBehind(frozen.get(0), 1)), thread(() -> waitBehind(frozen.get(1), 100)))
                .forEach(Promises::get);
    }

    private boolean waitBehind(RemoteClient frozen, int entries) {
        String name = LOCK + ":" + entries;
        FencedLock ours = history.recorded(client().lock(name, fifo(LockOptions.defaults())));
        ours.lock();
        for (int i = 0; i < entries; i++) {
            frozen.tell("waiter-" + i, "visit " + name + " fifo");
        }
        awaitQueued(name, entries);
        List<CompletableFuture<Arrival>> others = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            others.add(visitor(client().lock(name, fifo(LockOptions.defaults()))));
            awaitQueued(name, entries + i + 1);
        }
        frozen.freeze();
        long start = System.nanoTime();
        ours.unlock();
        long last = others.stream().mapToLong(other -> get(other).nanos()).max().orElseThrow();
        long token = get(others.get(2)).token();
        long thawed = System.nanoTime();
        frozen.thaw();
        for (int i = 0; i < entries; i++) {
            assertThat(frozen.number("waiter-" + i, "visited")).isGreaterThan(token);
        }
        Duration wentOn = since(thawed);
        assertThat(frozen.ask("another", "visit " + name + " fifo")).startsWith("visited ");
        Duration waited = Duration.ofNanos(last - start);
        report(
                10,
                "behind a frozen waiter with %d entries others waited %.0f ms; thawed, it was through after %.0f ms",
                entries,
                ms(waited),
                ms(wentOn));
        atMost(LockBackend.CLAIM_MILLIS + 1_500, waited, "the others");
        atMost(5_000, wentOn, "less than a safety poll");
        return true;
    }

    @Test
    @EnabledIfSystemProperty(named = "boltwork.proof", matches = "true")
    void twentyFrozenWaitersDelayTheOthersByNineSeconds() {
        List<RemoteClient> frozen = remotes(4);
        LockOptions fifo = fifo(LockOptions.defaults());
        FencedLock ours = history.recorded(client().lock(LOCK, fifo));
        ours.lock();
        List<CompletableFuture<Arrival>> others = new ArrayList<>();
        for (int i = 0; i < 20; i++) { // each one is a separate client
            RemoteClient jvm = frozen.get(i % frozen.size());
            jvm.tell("frozen-" + i, "own");
            jvm.expect("frozen-" + i, "opened");
            jvm.tell("frozen-" + i, "visit " + LOCK + " fifo");
            awaitQueued(LOCK, i + 1 + others.size());
            if (i % 4 == 3) {
                others.add(visitor(client().lock(LOCK, fifo)));
                awaitQueued(LOCK, i + 1 + others.size());
            }
        }
        frozen.forEach(RemoteClient::freeze);
        long start = System.nanoTime();
        ours.unlock();
        long last = others.stream().mapToLong(other -> get(other).nanos()).max().orElseThrow();
        frozen.forEach(RemoteClient::thaw);
        Duration waited = Duration.ofNanos(last - start);
        report(10, "behind and between 20 frozen waiters others waited %.0f ms", ms(waited));
        for (int i = 0; i < 20; i++) {
            assertThat(frozen.get(i % frozen.size()).number("frozen-" + i, "visited"))
                    .isPositive();
        }
        atMost(9_000, waited, "the others");
    }

    // ================================================================ 11

    @TimedTest
    void theLockOfAKilledHolderIsFreeAtTheEndOfItsLease() {
        List<RemoteClient> holders = remotes(2);
        CompletableFuture<Duration> first = thread(() -> lateAfterKill(holders.get(0), RENEWED, Fairness.BATCHED));
        Duration fifo = lateAfterKill(holders.get(1), RENEWED, Fairness.FIFO);
        Duration batched = get(first);
        report(
                11,
                "a killed holder's lock is free %.0f ms (BATCHED), %.0f ms (FIFO) after the end of its lease",
                ms(batched),
                ms(fifo));
        atMost(50, batched, "BATCHED");
        atMost(50, fifo, "FIFO");
    }

    @TimedTest
    void theLockOfAKilledHolderIsFreeAfterItsTakeoverDelay() {
        String options = RENEWED + ",takeover:" + millis(500).toMillis();
        List<RemoteClient> holders = remotes(2);
        CompletableFuture<Duration> first = thread(() -> lateAfterKill(holders.get(0), options, Fairness.BATCHED));
        Duration fifo = lateAfterKill(holders.get(1), options, Fairness.FIFO);
        Duration batched = get(first);
        report(
                11,
                "with a takeover delay it is free %.0f ms (BATCHED), %.0f ms (FIFO) after its end",
                ms(batched),
                ms(fifo));
        atMost(50, batched, "BATCHED");
        atMost(50, fifo, "FIFO");
    }

    @TimedTest
    void aTryGetsTheLockOfAKilledHolderAtTheEndOfItsLease() {
        FencedLock lock = history.recorded(client().lock(LOCK));
        RemoteClient holder = remote();
        assertThat(holder.ask("holder", "lock " + LOCK + " " + RENEWED)).startsWith("locked ");
        holder.kill();
        long until = until(LOCK);
        Await.until("the lock is free", lock::tryLock);
        Duration late = Duration.ofMillis(System.currentTimeMillis() - until);
        lock.unlock();
        report(11, "tryLock() gets a killed holder's lock %.0f ms after the end of its lease", ms(late));
        assertThat(late).isGreaterThanOrEqualTo(Duration.ZERO);
        atMost(50, late, "tryLock()");
    }

    /** Returns the time from the end of the lease at the server until a waiter has the lock. */
    private Duration lateAfterKill(RemoteClient holder, String options, Fairness fairness) {
        String name = LOCK + ":" + fairness;
        assertThat(holder.ask("holder", "lock " + name + " " + options)).startsWith("locked ");
        String owner = field(name, "owner");
        CompletableFuture<Arrival> waiter =
                visitor(client().lock(name, LockOptions.defaults().withFairness(fairness)));
        awaitQueued(name, 1);
        long taken = until(name);
        Await.until("the lease is renewed", () -> until(name) > taken); // so that the waiter has to learn the new end
        holder.kill();
        long until = until(name);
        assertThat(field(name, "owner")).as("the owner after the crash").isEqualTo(owner);
        Duration late = Duration.ofMillis(get(waiter).wallMillis() - until);
        assertThat(late).as("never before the end of the lease").isGreaterThanOrEqualTo(Duration.ZERO);
        return late;
    }

    // ================================================================ 12

    @Test
    void aHolderFrozenPastItsLeaseSeesThatItsLeaseIsInvalid() {
        RemoteClient frozen = remote();
        long token = locked(frozen, "watch", RENEWED);
        frozen.tell("watch", "watch " + LOCK);
        frozen.expect("watch", "begun");
        String other = LOCK + ":fixed";
        frozen.tell("fixed", "lock " + other + " fixed:" + millis(1_500).toMillis());
        long fixedToken = frozen.number("fixed", "locked");
        frozen.freeze();
        long start = System.nanoTime();
        Arrival next = visit(client().lock(LOCK));
        Arrival nextOfFixed = visit(client().lock(other));
        Await.until("a second has passed", () -> since(start).compareTo(millis(1_200)) > 0);
        frozen.thaw();
        String seen = frozen.answer("watch");
        report(12, "a holder that was frozen past its lease sees, %s", seen);
        assertThat(seen).endsWith("valid false, held false");
        assertThat(frozen.ask("fixed", "valid " + other)).isEqualTo("false");
        assertThat(frozen.ask("watch", "unlock " + LOCK)).isEqualTo("LeaseLostException");
        assertThat(frozen.ask("fixed", "unlock " + other)).isEqualTo("LeaseLostException");
        assertThat(frozen.answer("watch-loss")).startsWith("told ");
        assertThat(token).isLessThan(next.token());
        assertThat(fixedToken).isLessThan(nextOfFixed.token());
    }

    private static long locked(RemoteClient remote, String thread, String options) {
        remote.tell(thread, "lock " + LOCK + " " + options);
        return remote.number(thread, "locked");
    }

    // ================================================================ 16

    @TimedTest
    void aThreadThatEndsWhileHoldingIsNamedAndItsLeaseEnds() throws InterruptedException {
        LockClient client = client();
        List<LockListener.Abandoned> abandoned = new CopyOnWriteArrayList<>();
        List<LockListener.Lost> lost = new CopyOnWriteArrayList<>();
        client.addListener(new LockListener() {
            @Override
            public void abandoned(Abandoned event) {
                abandoned.add(event);
            }

            @Override
            public void lost(Lost event) {
                lost.add(event);
            }
        });
        FencedLock lock = client.lock(LOCK, LockOptions.renewedLease(Duration.ofMillis(LEASE)));
        Thread careless = new Thread(lock::lock, "careless");
        careless.start();
        careless.join();
        long end = System.nanoTime();
        CompletableFuture<Arrival> waiter = visitor(client().lock(LOCK));
        Await.until("the abandoned lock is reported", () -> !abandoned.isEmpty());
        Duration noticed = since(end);
        Duration free = Duration.ofNanos(get(waiter).nanos() - end);
        Await.until("the loss is reported", () -> !lost.isEmpty());
        report(
                16,
                "a dead thread is named after %.0f ms, its lock with a lease of %d ms is free after %.0f ms",
                ms(noticed),
                LEASE,
                ms(free));
        assertThat(abandoned).hasSize(1);
        assertThat(abandoned.get(0).owner()).isEqualTo("thread 'careless'");
        assertThat(abandoned.get(0).absence()).isEqualTo(LockListener.Absence.THREAD_ENDED);
        assertThat(lost.get(0).loss().reason()).isEqualTo(LeaseLoss.Reason.EXPIRED);
        atMost(LEASE / 2 + 50, noticed, "noticed when its lease is due to be renewed");
        atMost(LEASE + 50, free, "free after the lease");
    }

    // ================================================================ 15

    @Test
    void aNestedAcquireWithAnotherLeaseKeepsTheOuterLease() throws InterruptedException {
        long leaseMillis = millis(1_500).toMillis(); // long enough that no renewal comes before all are nested
        FencedLock lock =
                history.recorded(client().lock(LOCK, LockOptions.renewedLease(Duration.ofMillis(leaseMillis))));
        RemoteClient other = remote();
        Lease outer = lock.acquire();
        long until = until(LOCK);
        CommandStats.reset(server);
        lock.lock(Duration.ofMillis(50));
        assertThat(lock.tryLock(Duration.ZERO, Duration.ofMillis(60))).isTrue();
        Lease shorter = lock.withOptions(LockOptions.renewedLease(Duration.ofMillis(100)))
                .acquire();
        Lease longer =
                lock.withOptions(LockOptions.fixedLease(Duration.ofHours(1))).acquire();
        assertThat(lock.holdCount()).isEqualTo(5);
        assertThat(List.of(shorter.fencingToken(), longer.fencingToken())).containsOnly(outer.fencingToken());
        longer.release();
        shorter.release();
        lock.unlock();
        lock.unlock();
        long requests = CommandStats.of(server).requests();
        long after = until(LOCK);
        Duration held = Duration.ofMillis(2 * leaseMillis);
        assertThat(other.ask("other", "try " + LOCK + " batched " + held.toMillis()))
                .startsWith("false ");
        assertThat(outer.isValid()).as("still renewed").isTrue();
        assertThat(lock.holdCount()).isEqualTo(1);
        assertThat(until(LOCK))
                .as("not renewed for longer")
                .isLessThanOrEqualTo(System.currentTimeMillis() + leaseMillis);
        outer.release();
        assertThat(other.ask("other", "visit " + LOCK)).startsWith("visited ");
        assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
        report(
                15,
                "four nested acquisitions with other leases took %d requests; the outer one of %d ms was held on for"
                        + " %d ms",
                requests,
                leaseMillis,
                held.toMillis());
        assertThat(requests).isZero();
        assertThat(after).isEqualTo(until);
    }
}
