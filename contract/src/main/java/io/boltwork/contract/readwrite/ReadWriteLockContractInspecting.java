// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract.readwrite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.BusyLock;
import io.boltwork.ClientOptions;
import io.boltwork.FencedLock;
import io.boltwork.FencedReadWriteLock;
import io.boltwork.Lease;
import io.boltwork.LeaseLoss.Reason;
import io.boltwork.LeaseLostException;
import io.boltwork.LockInfo;
import io.boltwork.LockInfo.Access;
import io.boltwork.LockKind;
import io.boltwork.LockOptions;
import io.boltwork.LockSummary.State;
import io.boltwork.contract.LockSite;
import io.boltwork.testkit.wait.Await;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The inspection of read-write locks, and their forced release. */
abstract class ReadWriteLockContractInspecting extends ReadWriteContractPart {

    private static final LockOptions ENDS_LATE = LockOptions.fixedLease(Duration.ofMinutes(1));

    ReadWriteLockContractInspecting(LockSite site) {
        super(site);
    }

    private LockInfo described() {
        return party().client().inspector().describe(LockKind.READ_WRITE, name);
    }

    // ================================================================ looking

    @Test
    void turnsOfReadersAndWritersAreAnnounced() {
        FencedReadWriteLock lock = both();
        Lease first = lock.readLock().acquire();
        lock.readLock().acquire().release(); // the same thread, so the same turn
        first.release();
        lock.writeLock().acquire().release();
        both().writeLock().acquire().release();
        Await.until(
                "they are announced",
                () -> uses(LockKind.READ_WRITE).stream()
                                .mapToLong(BusyLock::turns)
                                .sum()
                        == 3);
    }

    @Test
    void readersAndWritersAreToldApart() {
        Lease first = both().readLock().acquire();
        Lease second = both().readLock().acquire();
        Holder writer = holdInTime(both().writeLock());
        awaitWaiting(1);
        Holder reader = holdInTime(both().readLock());
        awaitWaiting(2);
        LockInfo seen = described();
        assertThat(seen.kind()).isEqualTo(LockKind.READ_WRITE);
        assertThat(seen.state()).isEqualTo(State.HELD);
        assertThat(seen.capacity()).isZero();
        assertThat(seen.holders())
                .extracting(LockInfo.Holder::fencingToken)
                .containsExactly(first.fencingToken(), second.fencingToken());
        assertThat(seen.holders()).allSatisfy(holder -> {
            assertThat(holder.access()).isEqualTo(Access.READ);
            assertThat(holder.permits()).isEqualTo(1);
        });
        assertThat(seen.queue()).extracting(LockInfo.Waiting::access).containsExactly(Access.WRITE, Access.READ);
        assertThat(seen.queue()).extracting(LockInfo.Waiting::permits).containsOnly(1);
        assertThat(seen.toString().lines())
                .satisfiesExactly(
                        line -> assertThat(line).isEqualTo(name + " READ_WRITE HELD"),
                        line -> assertThat(line).startsWith("  reader "),
                        line -> assertThat(line).startsWith("  reader "),
                        line -> assertThat(line).startsWith("  1. writer "),
                        line -> assertThat(line).startsWith("  2. reader "));
        first.release();
        second.release();
        writer.token();
        LockInfo written = described();
        assertThat(written.holders()).singleElement().satisfies(holder -> {
            assertThat(holder.access()).isEqualTo(Access.WRITE);
            assertThat(holder.permits()).isEqualTo(1);
            assertThat(holder.toString()).startsWith("writer ").doesNotContain(String.valueOf(Integer.MAX_VALUE));
        });
        writer.release();
        reader.token();
        reader.release();
    }

    @Test
    void readersOfOneClientAreOneHolder() {
        Party party = party(ClientOptions.defaults().withSlice(Duration.ofSeconds(1)));
        FencedLock read = party.client().readWriteLock(name).readLock();
        Lease first = get(read.acquireAsync());
        Lease second = get(read.acquireAsync());
        assertThat(described().holders())
                .singleElement()
                .satisfies(holder -> assertThat(holder.fencingToken()).isEqualTo(first.fencingToken()));
        first.release();
        second.release();
    }

    // ================================================================ forced release

    @Test
    void aForcedReleaseTellsAllReadersAndServesTheWriter() {
        Lease here = both(ENDS_LATE).readLock().acquire();
        Lease there = both().readLock().acquire();
        Holder writer = holdInTime(both().writeLock());
        awaitWaiting(1);
        assertThat(party().client().inspector().forceRelease(LockKind.READ_WRITE, name))
                .isTrue();
        assertThat(writer.token()).isGreaterThan(here.fencingToken()).isGreaterThan(there.fencingToken());
        for (Lease lost : List.of(here, there)) {
            assertThat(get(lost.whenLost()).reason()).isEqualTo(Reason.TAKEN);
            assertThatThrownBy(lost::release).isInstanceOf(LeaseLostException.class);
        }
        writer.release();
    }

    @Test
    void aForcedReleaseOfAFreeLockEndsNothing() {
        FencedReadWriteLock lock = both();
        lock.readLock().lock();
        lock.readLock().unlock();
        awaitHolders(0);
        assertThat(party().client().inspector().forceRelease(LockKind.READ_WRITE, name))
                .isFalse();
        assertThat(lock.writeLock().tryLock()).isTrue();
        lock.writeLock().unlock();
    }

    @Test
    void oneReaderIsTakenOutByItsToken() {
        Lease stays = both().readLock().acquire();
        Lease goes = both().readLock().acquire();
        assertThat(party().client().inspector().forceRelease(LockKind.READ_WRITE, name, goes.fencingToken()))
                .isTrue();
        assertThat(get(goes.whenLost()).reason()).isEqualTo(Reason.TAKEN);
        assertThat(stays.verify()).isTrue();
        stays.release();
        assertThatThrownBy(goes::release).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void readersOfTheSameClientLoseTheirHoldsAtOnce() {
        Party party = party();
        FencedReadWriteLock lock = party.client().readWriteLock(name);
        Lease first = get(lock.readLock().acquireAsync());
        Lease second = get(lock.readLock().acquireAsync());
        party.backend().holdBackGrants(); // and messages of losses
        assertThat(party.client().inspector().forceRelease(LockKind.READ_WRITE, name))
                .isTrue();
        for (Lease lease : List.of(first, second)) {
            assertThat(lease.isValid()).isFalse();
            assertThatThrownBy(lease::release).isInstanceOf(LeaseLostException.class);
        }
        assertThat(lock.writeLock().tryLock()).isTrue();
        lock.writeLock().unlock();
    }
}
