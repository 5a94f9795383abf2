// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract.semaphore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.BusyLock;
import io.boltwork.ClientInfo;
import io.boltwork.ClientOptions;
import io.boltwork.Lease;
import io.boltwork.LeaseLoss.Reason;
import io.boltwork.LeaseLostException;
import io.boltwork.LeasedSemaphore;
import io.boltwork.LockInfo;
import io.boltwork.LockInfo.Access;
import io.boltwork.LockInspector;
import io.boltwork.LockKind;
import io.boltwork.LockListener;
import io.boltwork.LockOptions;
import io.boltwork.LockSummary;
import io.boltwork.LockSummary.State;
import io.boltwork.contract.LockSite;
import io.boltwork.contract.part.ContractPart;
import io.boltwork.contract.part.RecordingListener;
import io.boltwork.testkit.wait.Await;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** The inspection of semaphores, and the forced release of their permits. */
abstract class SemaphoreContractInspecting extends ContractPart {

    SemaphoreContractInspecting(LockSite site) {
        super(site);
    }

    private LeasedSemaphore semaphore(int permits) {
        return party().client().semaphore(name, permits);
    }

    private LeasedSemaphore semaphoreOf(String application, int permits) {
        return party(ClientOptions.defaults().withApplication(application))
                .client()
                .semaphore(name, permits);
    }

    private void awaitWaiting(int requests) {
        Await.until(
                requests + " requests wait",
                () -> inspect(LockKind.SEMAPHORE, name).queue().size() == requests);
    }

    private LockInfo described() {
        return party().client().inspector().describe(LockKind.SEMAPHORE, name);
    }

    private static CompletableFuture<Lease> future(LeasedSemaphore semaphore, int permits) {
        return semaphore.acquireAsync(permits).toCompletableFuture();
    }

    // ================================================================ looking

    @Test
    void turnsAndWaitersOfPermitsAreAnnounced() {
        LeasedSemaphore semaphore = semaphore(2);
        Lease two = semaphore.acquire(2);
        CompletableFuture<Lease> waiter = future(semaphore, 1);
        CompletableFuture<Lease> elsewhere = future(semaphore(2), 1);
        Await.until(
                "the waiters are announced",
                () -> uses(LockKind.SEMAPHORE).stream()
                                .mapToInt(BusyLock::waiting)
                                .sum()
                        == 2);
        two.release();
        get(waiter).release();
        get(elsewhere).release();
        Await.until("the turns are announced", () -> {
            List<BusyLock> uses = uses(LockKind.SEMAPHORE);
            return uses.stream().mapToLong(BusyLock::turns).sum() == 3
                    && uses.stream().allMatch(use -> use.waiting() == 0);
        });
    }

    @Test
    void holdersAndWaitersAreDescribedWithTheirPermits() {
        Instant before = Instant.now();
        Lease two = semaphoreOf("checkout", 3).acquire(2);
        Lease one = semaphoreOf("billing", 3).acquire();
        CompletableFuture<Lease> waiter = future(semaphoreOf("shipping", 3), 3);
        awaitWaiting(1);
        LockInfo seen = described();
        assertThat(seen.kind()).isEqualTo(LockKind.SEMAPHORE);
        assertThat(seen.name()).isEqualTo(name);
        assertThat(seen.state()).isEqualTo(State.HELD);
        assertThat(seen.capacity()).isEqualTo(3);
        assertThat(seen.remaining()).isBetween(Duration.ofSeconds(20), Duration.ofSeconds(30));
        assertThat(seen.holders()).extracting(LockInfo.Holder::permits).containsExactly(2, 1);
        assertThat(seen.holders())
                .extracting(LockInfo.Holder::fencingToken)
                .containsExactly(two.fencingToken(), one.fencingToken());
        assertThat(seen.holders())
                .extracting(SemaphoreContractInspecting::application)
                .containsExactly("checkout", "billing");
        assertThat(seen.holders()).allSatisfy(holder -> {
            assertThat(holder.access()).isEqualTo(Access.PERMITS);
            assertThat(holder.claim()).isFalse();
            assertThat(holder.since())
                    .isBetween(before.minusSeconds(1), Instant.now().plusSeconds(1));
            assertThat(holder.remaining()).isBetween(Duration.ofSeconds(20), Duration.ofSeconds(30));
        });
        assertThat(seen.queue()).singleElement().satisfies(waiting -> {
            assertThat(waiting.access()).isEqualTo(Access.PERMITS);
            assertThat(waiting.permits()).isEqualTo(3);
        });
        assertThat(seen.toString().lines())
                .satisfiesExactly(
                        line -> assertThat(line).isEqualTo(name + " SEMAPHORE HELD, 3 of 3 permits in use"),
                        line -> assertThat(line)
                                .startsWith("  2 permits: checkout@")
                                .endsWith(" left"),
                        line -> assertThat(line)
                                .startsWith("  1 permit: billing@")
                                .endsWith(" left"),
                        line -> assertThat(line)
                                .startsWith("  1. 3 permits: shipping@")
                                .contains(", for "));
        two.release();
        one.release();
        get(waiter).release();
    }

    private static String application(LockInfo.Holder holder) {
        return holder.client().map(ClientInfo::application).orElseThrow();
    }

    @Test
    void grantedPermitsAreClaimedUntilTheyAreConfirmed() {
        Lease lease = semaphore(1).acquire();
        Party silent = party();
        CompletableFuture<Lease> waiter = future(silent.client().semaphore(name, 1), 1);
        awaitWaiting(1);
        silent.backend().holdBackGrants();
        lease.release();
        LockInspector inspector = party().client().inspector();
        LockInfo seen = described();
        assertThat(seen.state()).isEqualTo(State.CLAIMED);
        assertThat(seen.holders()).extracting(LockInfo.Holder::claim).containsExactly(true);
        assertThat(inspector.list(name, 1)).extracting(LockSummary::state).containsExactly(State.CLAIMED);
        silent.backend().deliverGrants();
        Lease granted = get(waiter);
        Await.until("it is confirmed", () -> described().state() == State.HELD);
        granted.release();
    }

    @Test
    void permitsAreKeptForTheirMinHold() {
        Lease lease = semaphore(2)
                .withOptions(LockOptions.defaults().withMinHold(millis(500)))
                .acquire();
        lease.release();
        LockInfo kept = described();
        assertThat(kept.state()).isEqualTo(State.KEPT);
        assertThat(kept.holders()).isEmpty();
        assertThat(kept.remaining()).isBetween(Duration.ofMillis(1), millis(500).plusMillis(2)); // rounded up
        assertThat(kept.toString()).startsWith(name + " SEMAPHORE KEPT, 0 of 2 permits in use, ");
        Await.until("it is free", () -> described().state() == State.FREE);
        assertThat(described()).hasToString(name + " SEMAPHORE FREE, 0 of 2 permits in use");
    }

    @Test
    void anUnknownSemaphoreIsFreeAndHasNoCapacity() {
        semaphore(1);
        LockInfo seen = described();
        assertThat(seen.state()).isEqualTo(State.FREE);
        assertThat(seen.capacity()).isZero();
        assertThat(seen.fence()).isZero();
        assertThat(seen).hasToString(name + " SEMAPHORE FREE");
    }

    @Test
    void aHolderWhoseLeaseHasEndedIsLeftOut() {
        LeasedSemaphore ends = semaphore(2).withOptions(LockOptions.fixedLease(FIXED));
        Lease lost = ends.acquire();
        Lease lease = semaphore(2).acquire();
        Await.until("one is left", () -> described().holders().size() == 1);
        assertThat(described().holders().get(0).fencingToken()).isEqualTo(lease.fencingToken());
        assertThat(party().client().inspector().list(name, 1))
                .extracting(LockSummary::holders)
                .containsExactly(1);
        lease.release();
        assertThatThrownBy(lost::release).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void locksOfAllKindsAreListedWithTheirHolders() {
        Party party = party();
        LockInspector inspector = party.client().inspector();
        Lease plain = party.lock(name).acquire();
        Lease read = party.client().readWriteLock(name).readLock().acquire();
        LeasedSemaphore semaphore = party.client().semaphore(name, 5);
        Lease two = semaphore.acquire(2);
        Lease one = semaphore.acquire();
        assertThat(inspector.list(name, 10)).extracting(LockSummary::kind).containsExactlyInAnyOrder(LockKind.values());
        for (LockKind kind : LockKind.values()) {
            assertThat(inspector.list(kind, name, 10))
                    .extracting(LockSummary::kind)
                    .containsExactly(kind);
        }
        LockSummary seen = inspector.list(LockKind.SEMAPHORE, name, 1).get(0);
        assertThat(seen.state()).isEqualTo(State.HELD);
        assertThat(seen.holders()).isEqualTo(2);
        assertThat(seen.permits()).isEqualTo(3);
        assertThat(seen.fencingToken()).isEqualTo(one.fencingToken());
        assertThat(inspector.refresh(List.of(seen)))
                .extracting(LockSummary::permits)
                .containsExactly(3);
        assertThat(seen.remaining()).isBetween(Duration.ofSeconds(20), Duration.ofSeconds(30));
        assertThat(seen.toString())
                .startsWith(name + " SEMAPHORE HELD by 2 with 3 permits, fencing token " + one.fencingToken())
                .endsWith(" left");
        assertThat(inspector.list(LockKind.READ_WRITE, name, 1).get(0).toString())
                .startsWith(name + " READ_WRITE HELD by 1, fencing token " + read.fencingToken());
        assertThat(inspector.list(name, 2)).hasSize(2);
        List.of(plain, read, two, one).forEach(Lease::release);
        assertThat(inspector.list(name, 10)).isEmpty();
    }

    // ================================================================ forced release

    @Test
    void aForcedReleaseTellsAllHoldersAndServesTheWaiters() {
        LeasedSemaphore here = semaphore(3).withOptions(LockOptions.fixedLease(Duration.ofMinutes(1)));
        Lease two = here.acquire(2);
        Lease one = semaphore(3).acquire();
        CompletableFuture<Lease> next = future(semaphore(3), 3);
        awaitWaiting(1);
        assertThat(party().client().inspector().forceRelease(LockKind.SEMAPHORE, name))
                .isTrue();
        Lease granted = get(next);
        for (Lease lost : List.of(two, one)) {
            assertThat(get(lost.whenLost()).reason()).isEqualTo(Reason.TAKEN);
            assertThat(granted.fencingToken()).isGreaterThan(lost.fencingToken());
            assertThatThrownBy(lost::release).isInstanceOf(LeaseLostException.class);
        }
        assertThat(granted.isValid()).isTrue();
        granted.release();
    }

    @Test
    void permitsAreTakenOnlyFromTheHolderOfTheGivenToken() {
        Lease kept = semaphore(2).acquire();
        Lease taken = semaphore(2).acquire();
        LockInspector inspector = party().client().inspector();
        assertThat(inspector.forceRelease(LockKind.SEMAPHORE, name, kept.fencingToken() - 1_000_000))
                .isFalse();
        assertThat(inspector.forceRelease(LockKind.SEMAPHORE, name, taken.fencingToken()))
                .isTrue();
        assertThat(get(taken.whenLost()).reason()).isEqualTo(Reason.TAKEN);
        assertThat(kept.verify()).isTrue();
        assertThat(described().holders())
                .extracting(LockInfo.Holder::fencingToken)
                .containsExactly(kept.fencingToken());
        kept.release();
        assertThatThrownBy(taken::release).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void holdersInTheSameClientLoseTheirPermitsAtOnce() {
        Party party = party();
        LeasedSemaphore semaphore = party.client().semaphore(name, 3);
        List<Lease> leases = List.of(semaphore.acquire(), semaphore.acquire(2));
        party.backend().holdBackGrants(); // and messages of losses
        assertThat(party.client().inspector().forceRelease(LockKind.SEMAPHORE, name))
                .isTrue();
        for (Lease lease : leases) {
            assertThat(lease.isValid()).isFalse();
            assertThatThrownBy(lease::release).isInstanceOf(LeaseLostException.class);
        }
        assertThat(semaphore.tryAcquire(3)).hasValueSatisfying(Lease::release);
    }

    @Test
    void eventsNameTheKind() {
        Party party = party();
        RecordingListener ear = RecordingListener.listenTo(party);
        LeasedSemaphore semaphore = party.client().semaphore(name, 1);
        semaphore.acquire().release();
        Lease lost = semaphore.acquire();
        party.client().inspector().forceRelease(LockKind.SEMAPHORE, name);
        assertThat(ear.await(LockListener.Waited.class).kind()).isEqualTo(LockKind.SEMAPHORE);
        assertThat(ear.await(LockListener.Acquired.class).kind()).isEqualTo(LockKind.SEMAPHORE);
        assertThat(ear.await(LockListener.Released.class).kind()).isEqualTo(LockKind.SEMAPHORE);
        assertThat(ear.await(LockListener.Lost.class).kind()).isEqualTo(LockKind.SEMAPHORE);
        assertThatThrownBy(lost::release).isInstanceOf(LeaseLostException.class);
        party.lock(name).acquire().release();
        Await.until(
                "the kinds differ",
                () -> ear.all(LockListener.Released.class).stream().anyMatch(event -> event.kind() == LockKind.LOCK));
    }

    @Test
    void aForcedReleaseConcernsOneKindOnly() {
        Party party = party();
        LockInspector inspector = party().client().inspector();
        Lease plain = party.lock(name).acquire();
        Lease permit = party.client().semaphore(name, 1).acquire();
        assertThat(inspector.forceRelease(LockKind.READ_WRITE, name)).isFalse();
        assertThat(inspector.forceRelease(LockKind.SEMAPHORE, name)).isTrue();
        assertThat(get(permit.whenLost()).reason()).isEqualTo(Reason.TAKEN);
        assertThat(plain.verify()).isTrue();
        plain.release();
        assertThatThrownBy(permit::release).isInstanceOf(LeaseLostException.class);
    }

    @Test
    @SuppressWarnings({"NullAway", "DataFlowIssue"}) // null is what is tested
    void badInputIsRefusedByName() {
        Party party = party();
        LockInspector inspector = party.client().inspector();
        List<ThrowingCallable> withoutKind = List.of(
                () -> inspector.describe(null, name),
                () -> inspector.list(null, "*", 1),
                () -> inspector.forceRelease(null, name),
                () -> inspector.forceRelease(null, name, 1));
        for (ThrowingCallable question : withoutKind) {
            assertThatThrownBy(question)
                    .isInstanceOf(NullPointerException.class)
                    .hasMessage("kind");
        }
        assertThatThrownBy(() -> inspector.describe(LockKind.SEMAPHORE, ""))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("name");
        assertThatThrownBy(() -> inspector.forceRelease(LockKind.SEMAPHORE, name, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("fencingToken");
        assertThat(party.backend().requests()).isZero();
    }
}
