// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.BackendException;
import io.boltwork.BusyLock;
import io.boltwork.ClientClosedException;
import io.boltwork.ClientInfo;
import io.boltwork.ClientOptions;
import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LeaseLoss.Reason;
import io.boltwork.LeaseLostException;
import io.boltwork.LockInfo;
import io.boltwork.LockInspector;
import io.boltwork.LockKind;
import io.boltwork.LockOptions;
import io.boltwork.LockOptions.Fairness;
import io.boltwork.LockSummary;
import io.boltwork.LockSummary.State;
import io.boltwork.contract.LockSite;
import io.boltwork.contract.part.ContractPart;
import io.boltwork.spi.Capability;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Task;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** The inspection of locks and clients, and the forced release of a lock from a holder that hangs. */
abstract class LockContractInspecting extends ContractPart {

    private static final Duration LONG = Duration.ofSeconds(60);

    LockContractInspecting(LockSite site) {
        super(site);
    }

    // ================================================================ one lock

    @Test
    void aHeldLockReportsItsHolderStartAndToken() {
        Party party = named("checkout");
        Instant before = Instant.now();
        Lease lease = party.lock(name).acquire();
        LockInfo seen = party().client().inspector().describe(name);
        assertThat(seen.name()).isEqualTo(name);
        assertThat(seen.state()).isEqualTo(State.HELD);
        assertThat(seen.remaining()).isBetween(Duration.ofSeconds(20), Duration.ofSeconds(30));
        assertThat(seen.queue()).isEmpty();
        assertThat(seen.fence()).isGreaterThanOrEqualTo(lease.fencingToken());
        assertThat(seen.at()).isBetween(before.minusSeconds(1), Instant.now().plusSeconds(1));
        LockInfo.Holder holder = seen.holders().get(0);
        assertThat(holder.fencingToken()).isEqualTo(lease.fencingToken());
        assertThat(holder.since())
                .isBetween(before.minusSeconds(1), Instant.now().plusSeconds(1));
        ClientInfo client = holder.client().orElseThrow();
        assertThat(holder.request()).startsWith(client.id() + ":");
        assertThat(client.application()).isEqualTo("checkout");
        assertThat(client.host()).isNotBlank();
        assertThat(client.pid()).isEqualTo(ProcessHandle.current().pid());
        assertThat(client.since()).isBefore(Instant.now().plusSeconds(1));
        assertThat(seen.toString())
                .startsWith(
                        name + " HELD by checkout@" + client.host() + ":" + client.pid() + " (client " + client.id())
                .contains("fencing token " + lease.fencingToken(), " left");
        lease.release();
    }

    @Test
    void waitersAreListedInQueueOrderWithTheirWaitingTimes() {
        needsQueue();
        FencedLock theirs = heldElsewhere();
        Task<Long> first = visitor(named("billing").lock(name));
        awaitQueued(1);
        pass(Duration.ofMillis(50));
        Task<Long> second = visitor(named("shipping").lock(name));
        awaitQueued(2);
        LockInfo seen = party().client().inspector().describe(name);
        assertThat(seen.queue()).extracting(LockInfo.Waiting::position).containsExactly(1, 2);
        assertThat(seen.queue())
                .extracting(waiting -> waiting.client().orElseThrow().application())
                .containsExactly("billing", "shipping");
        assertThat(seen.queue().get(0).waited()).isBetween(Duration.ofMillis(45), TOLERANCE.multipliedBy(5));
        assertThat(seen.queue().get(1).waited())
                .isLessThan(seen.queue().get(0).waited())
                .isGreaterThanOrEqualTo(Duration.ZERO);
        assertThat(seen.toString().lines().skip(1))
                .satisfiesExactly(
                        line -> assertThat(line).contains("1. billing@", ", for "),
                        line -> assertThat(line).contains("2. shipping@", ", for "));
        theirs.unlock();
        first.get(PROMPT);
        second.get(PROMPT);
    }

    @Test
    void aLockByGrantIsClaimedUntilItIsConfirmed() {
        needsQueue();
        FencedLock theirs = heldElsewhere();
        LockInspector inspector = party().client().inspector();
        Party silent = party();
        Holder waiter = holdInTime(silent.lock(name));
        awaitQueued(1);
        silent.backend().holdBackGrants();
        theirs.unlock();
        assertThat(inspector.describe(name).state()).isEqualTo(State.CLAIMED);
        assertThat(inspector.list(name, 1)).extracting(LockSummary::state).containsExactly(State.CLAIMED);
        silent.backend().deliverGrants();
        waiter.token();
        Await.until("it is confirmed", () -> inspector.describe(name).state() == State.HELD);
        assertThat(inspector.describe(name).holders().get(0).fencingToken()).isEqualTo(waiter.token());
        waiter.release();
    }

    @Test
    void aLockIsKeptForItsMinHoldAndFreeAfterwards() {
        LockInspector inspector = party().client().inspector();
        FencedLock lock = newLock().withOptions(LockOptions.defaults().withMinHold(millis(500)));
        lock.lock();
        lock.unlock();
        LockInfo kept = inspector.describe(name);
        assertThat(kept.state()).isEqualTo(State.KEPT);
        assertThat(kept.holders()).isEmpty();
        assertThat(kept.remaining()).isBetween(Duration.ofMillis(1), millis(500).plusMillis(2)); // rounded up
        assertThat(kept.toString()).startsWith(name + " KEPT, ").containsPattern("\\d m?s left$");
        Await.until("it is free", () -> inspector.describe(name).state() == State.FREE);
    }

    @Test
    void freeAndUnknownLocksAreReportedAsFree() {
        LockInspector inspector = party().client().inspector();
        FencedLock lock = newLock();
        lock.lock();
        long token = tokenOf(lock);
        lock.unlock();
        LockInfo free = inspector.describe(name);
        assertThat(free.fence()).isGreaterThanOrEqualTo(token);
        LockInfo unknown = inspector.describe(name + ":unknown");
        assertThat(unknown.fence()).isZero();
        for (LockInfo seen : List.of(free, unknown)) {
            assertThat(seen.state()).isEqualTo(State.FREE);
            assertThat(seen.holders()).isEmpty();
            assertThat(seen.remaining()).isZero();
            assertThat(seen.queue()).isEmpty();
            assertThat(seen).hasToString(seen.name() + " FREE");
        }
    }

    @Test
    void aLockWhoseLeaseHasEndedIsFree() {
        LockInspector inspector = party().client().inspector();
        FencedLock lock = newLock().withOptions(LockOptions.fixedLease(millis(100)));
        lock.lock();
        Await.until("it is free", () -> inspector.describe(name).state() == State.FREE);
        assertThat(inspector.describe(name).holders()).isEmpty();
        assertThat(inspector.list(name, 1)).isEmpty();
        assertThatThrownBy(lock::unlock).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void aHolderOfAnUnknownClientIsReportedByItsRequest() {
        needsLockOfItsOwn();
        Lease lease = newLock().withOptions(LockOptions.renewedLease(RENEWED)).acquire();
        site.flush();
        Await.until("the hold is restored", () -> inspect().owner() != null);
        LockInfo seen = party().client().inspector().describe(name);
        LockInfo.Holder holder = seen.holders().get(0);
        assertThat(holder.client()).isEmpty();
        assertThat(holder.fencingToken()).isEqualTo(lease.fencingToken());
        assertThat(seen.toString()).startsWith(name + " HELD by request " + holder.request() + " of an unknown client");
        lease.release();
    }

    @Test
    void describingTakesTwoRequestsOrOneForAnUnusedLock() {
        needsQueue();
        Party party = party();
        LockInspector inspector = party.client().inspector();
        FencedLock theirs = heldElsewhere();
        Task<Long> waiter = visitor(newLock());
        awaitQueued(1);
        long requests = party.backend().requests();
        assertThat(inspector.describe(name).queue()).hasSize(1);
        assertThat(party.backend().requests() - requests).isEqualTo(2);
        theirs.unlock();
        waiter.get(PROMPT);
        awaitFree();
        assertThat(inspector.describe(name).state()).isEqualTo(State.FREE);
        assertThat(party.backend().requests() - requests).isEqualTo(3);
    }

    // ================================================================ many locks

    @Test
    void heldKeptAndWantedLocksAreListedByPattern() {
        needsQueue();
        Party party = party();
        LockInspector inspector = party.client().inspector();
        Lease held = party.lock(name + ":a1").acquire();
        FencedLock kept = party.lock(name + ":a2", LockOptions.defaults().withMinHold(Duration.ofSeconds(30)));
        kept.lock();
        kept.unlock();
        FencedLock wanted = party.lock(name + ":b1");
        wanted.lock();
        Holder waiter = holdInTime(newLockNamed(name + ":b1"));
        Await.until("it waits", () -> inspect(name + ":b1").queue().size() == 1);
        FencedLock free = party.lock(name + ":free");
        free.lock();
        free.unlock();
        assertThat(names(inspector.list(name + ":*", 100)))
                .containsExactlyInAnyOrder(name + ":a1", name + ":a2", name + ":b1");
        assertThat(names(inspector.list(name + ":a?", 100))).containsExactlyInAnyOrder(name + ":a1", name + ":a2");
        assertThat(names(inspector.list("*" + name.substring(20) + ":?1", 100)))
                .containsExactlyInAnyOrder(name + ":a1", name + ":b1");
        assertThat(names(inspector.list("*", 1_000))).contains(name + ":a1", name + ":a2", name + ":b1");
        assertThat(inspector.list(name, 100))
                .as("a pattern is for the whole name")
                .isEmpty();
        assertThat(inspector.list(name + ":[ab]1", 100)).as("no sets").isEmpty();
        assertThat(inspector.list(name + ":*", 2)).hasSize(2);
        List<LockSummary> found = inspector.list(name + ":*", 100);
        assertThat(inspector.refresh(found))
                .usingRecursiveFieldByFieldElementComparatorIgnoringFields("remaining")
                .isEqualTo(found);
        assertThat(inspector.list(name + ":b1", 1)).singleElement().satisfies(lock -> {
            assertThat(lock.state()).isEqualTo(State.HELD);
            assertThat(lock.fencingToken()).isEqualTo(tokenOf(wanted));
            assertThat(lock.remaining()).isBetween(Duration.ofSeconds(20), Duration.ofSeconds(30));
            assertThat(lock.waiting()).isEqualTo(1);
            assertThat(lock.toString())
                    .startsWith(name + ":b1 HELD, fencing token " + tokenOf(wanted))
                    .endsWith(" left, 1 waiting");
        });
        assertThat(inspector.list(name + ":a2", 1)).singleElement().satisfies(lock -> {
            assertThat(lock.state()).isEqualTo(State.KEPT);
            assertThat(lock.fencingToken()).isZero();
        });
        wanted.unlock();
        waiter.release();
        held.release();
    }

    @Test
    void manyLocksAreAllListed() {
        Party party = party();
        List<Lease> leases = new ArrayList<>();
        for (int i = 0; i < 600; i++) { // more than one scan of the server finds
            leases.add(party.lock(name + ":" + i).acquire());
        }
        LockInspector inspector = party.client().inspector();
        List<LockSummary> found = inspector.list(name + ":*", 1_000);
        assertThat(names(found)).hasSize(600).doesNotHaveDuplicates();
        assertThat(inspector.list(name + ":*", 250)).hasSize(250);
        leases.subList(0, 590).forEach(Lease::release);
        List<String> left = new ArrayList<>(names(found));
        left.retainAll(leases.subList(590, 600).stream().map(Lease::lockName).toList());
        assertThat(names(inspector.refresh(found))).containsExactlyElementsOf(left);
        leases.subList(590, 600).forEach(Lease::release);
        assertThat(inspector.refresh(found)).isEmpty();
    }

    @Test
    void clientsAreListedByTheirNamesUntilTheyAreClosed() {
        Party checkout = named("checkout");
        Party billing = named("Abrechnung – 請求");
        LockInspector inspector = checkout.client().inspector();
        Await.until("both have introduced themselves", () -> inspector.clients().size() == 2);
        assertThat(inspector.clients())
                .extracting(ClientInfo::application)
                .containsExactlyInAnyOrder("checkout", "Abrechnung – 請求");
        assertThat(inspector.clients()).allSatisfy(client -> {
            assertThat(client.pid()).isEqualTo(ProcessHandle.current().pid());
            assertThat(client.toString()).startsWith(client.application() + "@").contains(client.id());
        });
        billing.client().close();
        Await.until("the closed one is forgotten", () -> inspector.clients().size() == 1);
        assertThat(inspector.clients()).extracting(ClientInfo::application).containsExactly("checkout");
    }

    // ================================================================ forced release

    @Test
    void aForcedReleaseGrantsTheNextAndTellsTheHolder() {
        FencedLock ours = newLock().withOptions(LockOptions.renewedLease(RENEWED));
        Lease lease = ours.acquire();
        Holder next = holdInTime(newLock());
        awaitQueued(1);
        assertThat(party().client().inspector().forceRelease(name)).isTrue();
        Await.within(PROMPT, "the next holds", next::isHolding);
        assertThat(next.token()).isGreaterThan(lease.fencingToken());
        assertThat(get(lease.whenLost()).reason()).isEqualTo(Reason.TAKEN);
        assertThat(ours.isHeldByCurrentThread()).isFalse();
        assertThatThrownBy(lease::release).isInstanceOf(LeaseLostException.class);
        assertThat(inspect().token()).isEqualTo(next.token());
        assertThat(ours.tryLock()).isFalse();
        next.release();
    }

    @Test
    void theHoldersClientIsToldOfAForcedReleaseAtOnce() {
        needs(Capability.PUSH);
        FencedLock ours = newLock().withOptions(LockOptions.fixedLease(Duration.ofMinutes(1)));
        Lease lease = ours.acquire();
        Task<Long> next = visitor(ours);
        next.awaitParked();
        assertThat(party().client().inspector().forceRelease(name, lease.fencingToken()))
                .isTrue();
        Await.within(PROMPT, "the holder is notified", () -> !lease.isValid());
        assertThat(get(lease.whenLost()).reason()).isEqualTo(Reason.TAKEN);
        next.get(PROMPT);
        assertThatThrownBy(lease::release).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void theHoldersClientIsToldOfItsOwnForcedRelease() {
        Party party = party();
        Lease lease = party.lock(name, LockOptions.fixedLease(Duration.ofMinutes(1)))
                .acquireAsync()
                .toCompletableFuture()
                .join();
        assertThat(party.client().inspector().forceRelease(name)).isTrue();
        Await.within(PROMPT, "the holder is notified", () -> !lease.isValid());
        FencedLock lock = party.lock(name);
        assertThat(lock.tryLock()).as("a try goes to the server").isTrue();
        assertThat(tokenOf(lock)).isGreaterThan(lease.fencingToken());
        lock.unlock();
        assertThatThrownBy(lease::release).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void aHoldReleasedByForceIsNotRestoredIfTheLockIsFree() {
        Lease lease = newLock().withOptions(LockOptions.renewedLease(RENEWED)).acquire();
        assertThat(party().client().inspector().forceRelease(name)).isTrue();
        assertThat(inspect().owner()).isNull();
        assertThat(get(lease.whenLost()).reason()).isEqualTo(Reason.TAKEN);
        assertThat(inspect().owner()).isNull();
        assertThatThrownBy(lease::release).isInstanceOf(LeaseLostException.class);
        try (Lease next = newLock().acquire()) {
            assertThat(next.fencingToken()).isGreaterThan(lease.fencingToken());
        }
    }

    @Test
    void anUninformedFormerHolderHarmsNoOtherOwner() {
        FencedLock ours = newLock().withOptions(LockOptions.fixedLease(Duration.ofMinutes(1)));
        ours.lock();
        long token = tokenOf(ours);
        assertThat(party().client().inspector().forceRelease(name)).isTrue();
        FencedLock theirs = heldElsewhere();
        assertThat(tokenOf(theirs)).isGreaterThan(token);
        assertThatThrownBy(ours::unlock)
                .isInstanceOfSatisfying(
                        LeaseLostException.class,
                        lost -> assertThat(lost.loss().reason()).isEqualTo(Reason.TAKEN));
        assertThat(theirs.isHeldByCurrentThread()).isTrue();
        assertThat(inspect().token()).isEqualTo(tokenOf(theirs));
        theirs.unlock();
    }

    @Test
    void aLockIsTakenOnlyFromTheHolderOfTheGivenToken() {
        Party party = party(ClientOptions.defaults().withSlice(Duration.ofSeconds(1)));
        FencedLock lock = party.lock(name, LockOptions.renewedLease(RENEWED));
        LockInspector inspector = party().client().inspector();
        Lease earlier = lock.acquire();
        Task<Lease> passed = start(lock::acquire);
        passed.awaitParked();
        earlier.release();
        Lease lease = passed.get();
        assertThat(inspector.forceRelease(name, lease.fencingToken() - 1_000_000))
                .isFalse();
        pass(RENEWED.dividedBy(2));
        FencedLock stranger = newLockNamed(name + ":other"); // not within the millisecond of the holder's tokens
        stranger.lock();
        assertThat(inspector.forceRelease(name, tokenOf(stranger))).isFalse();
        assertThat(lease.isValid()).isTrue();
        lease.ensureValid();
        assertThat(inspector.forceRelease(name, lease.fencingToken()))
                .as("passed on in memory")
                .isTrue();
        assertThat(inspector.forceRelease(name, lease.fencingToken())).isFalse();
        assertThat(get(lease.whenLost()).reason()).isEqualTo(Reason.TAKEN);
        assertThatThrownBy(lease::release).isInstanceOf(LeaseLostException.class);
        stranger.unlock();
    }

    @Test
    void aForcedReleaseOfAnUnheldLockDoesNothing() {
        LockInspector inspector = party().client().inspector();
        FencedLock lock = newLock();
        assertThat(inspector.forceRelease(name)).as("unknown").isFalse();
        assertThat(inspector.forceRelease(name, 1)).isFalse();
        lock.lock();
        long token = tokenOf(lock);
        lock.unlock();
        assertThat(inspector.forceRelease(name)).as("free").isFalse();
        assertThat(inspector.forceRelease(name, token)).isFalse();
        lock.lock();
        assertThat(tokenOf(lock)).isGreaterThan(token);
        lock.unlock();
    }

    @Test
    void aKeptLockIsOpenedByForce() {
        FencedLock lock = newLock().withOptions(LockOptions.defaults().withMinHold(Duration.ofMinutes(10)));
        lock.lock();
        lock.unlock();
        Task<Long> waiter = visitor(newLock());
        awaitQueued(1);
        assertThat(party().client().inspector().forceRelease(name)).isTrue();
        waiter.get(PROMPT);
        assertThat(lock.isLocked()).isFalse();
    }

    @Test
    void theOthersKeepTheirOrderAfterAForcedRelease() {
        needsQueue();
        Party party = party();
        FencedLock theirs = heldElsewhere();
        FencedLock fifo = party.lock(name, LockOptions.defaults().withFairness(Fairness.FIFO));
        List<Holder> waiters = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            waiters.add(holdInTime(fifo));
            awaitQueued(i + 1);
        }
        LockInspector inspector = party.client().inspector();
        assertThat(inspector.forceRelease(name)).isTrue();
        long first = waiters.get(0).token();
        assertThat(waiters.get(1).isHolding()).isFalse();
        assertThat(inspector.forceRelease(name, first)).isTrue();
        assertThat(waiters.get(1).token()).isGreaterThan(first);
        assertThat(waiters.get(2).isHolding()).isFalse();
        waiters.get(1).release();
        waiters.get(2).token();
        waiters.get(2).release();
        assertThatThrownBy(theirs::unlock).isInstanceOf(LeaseLostException.class);
        waiters.get(0).letGo().countDown();
        assertThat(waiters.get(0).task().failure()).isInstanceOf(LeaseLostException.class);
    }

    // ================================================================ invalid requests

    @Test
    @SuppressWarnings({"NullAway", "DataFlowIssue"}) // null is what is tested
    void badInputIsRefusedByName() {
        Party party = party();
        LockInspector inspector = party.client().inspector();
        isRefused("pattern", () -> inspector.list("", 1));
        isRefused("pattern", () -> inspector.list("what\ud800*", 1));
        isRefused("limit", () -> inspector.list("*", 0));
        isRefused("name", () -> inspector.describe(""));
        isRefused("1024", () -> inspector.describe("x".repeat(1_025)));
        isRefused("index 4", () -> inspector.describe("what\ud800"));
        isRefused("name", () -> inspector.forceRelease(""));
        isRefused("index 4", () -> inspector.forceRelease("what\ud800"));
        isRefused("name", () -> inspector.forceRelease("", 1));
        isRefused("fencingToken", () -> inspector.forceRelease(name, 0));
        isRefused("fencingToken", () -> inspector.forceRelease(name, -1));
        assertThatThrownBy(() -> inspector.list(null, 1))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("pattern");
        assertThatThrownBy(() -> inspector.describe(null))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("name");
        assertThatThrownBy(() -> inspector.forceRelease(null))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("name");
        assertThat(party.backend().requests()).isZero();
    }

    @Test
    void inspectingFailsWithAFrozenServerOrAClosedClient() {
        Party party = party();
        LockInspector inspector = party.client().inspector();
        site.freeze();
        long start = System.nanoTime();
        assertThatThrownBy(() -> inspector.describe(name)).isInstanceOf(BackendException.class);
        assertThat(since(start)).isLessThan(party.commandTimeout().plus(TOLERANCE));
        site.thaw();
        party.client().close();
        for (ThrowingCallable question : List.<ThrowingCallable>of(
                () -> inspector.describe(name),
                () -> inspector.list("*", 1),
                inspector::clients,
                () -> inspector.forceRelease(name))) {
            assertThatThrownBy(question).isInstanceOf(ClientClosedException.class);
        }
    }

    // ================================================================ the locks that clients use most

    /**
     * Several threads of two clients contend. The server sees a part of the turns only: the others are handed over
     * inside.
     */
    @Test
    void turnsOfAllClientsAddUpWithThoseHandedOverInside() {
        int perThread = 20;
        List<Task<?>> tasks = new ArrayList<>();
        for (Party client : List.of(party(), party())) {
            for (int i = 0; i < 3; i++) {
                FencedLock lock = client.lock(name);
                tasks.add(start(() -> {
                    for (int turn = 0; turn < perThread; turn++) {
                        lock.lock();
                        lock.unlock();
                    }
                    return null;
                }));
            }
        }
        tasks.forEach(task -> task.get(LONG));
        Await.until("all turns are announced", () -> turns(uses(LockKind.LOCK)) == 6L * perThread);
        List<BusyLock> uses = uses(LockKind.LOCK);
        assertThat(uses).hasSize(2).allSatisfy(use -> {
            assertThat(use.turns()).isEqualTo(3L * perThread);
            assertThat(use.waiting()).isZero();
            assertThat(use.waited()).isPositive();
            assertThat(use.held()).isPositive();
        });
    }

    @Test
    void aCallerThatWaitsIsAnnouncedAsWaiting() {
        Lease held = party().lock(name).acquire();
        CompletableFuture<Lease> waits = party().lock(name).acquireAsync().toCompletableFuture();
        Await.until("it is announced", () -> uses(LockKind.LOCK).stream().anyMatch(use -> use.waiting() == 1));
        held.release();
        get(waits).release();
        Await.until("its end, too", () -> {
            List<BusyLock> uses = uses(LockKind.LOCK);
            return uses.stream().allMatch(use -> use.waiting() == 0) && turns(uses) == 2;
        });
    }

    private static long turns(List<BusyLock> uses) {
        return uses.stream().mapToLong(BusyLock::turns).sum();
    }

    private Party named(String application) {
        return party(ClientOptions.defaults().withApplication(application));
    }

    private static List<String> names(List<LockSummary> locks) {
        return locks.stream().map(LockSummary::name).toList();
    }

    private static void isRefused(String word, ThrowingCallable nonsense) {
        assertThatIllegalArgumentException().isThrownBy(nonsense).withMessageContaining(word);
    }
}
