// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract.readwrite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.FencedLock;
import io.boltwork.FencedReadWriteLock;
import io.boltwork.Lease;
import io.boltwork.LeaseLostException;
import io.boltwork.LockClient;
import io.boltwork.contract.LockSite;
import io.boltwork.testkit.wait.Await;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The threads that own sides of a read-write lock: nesting, downgrades, and refused upgrades. */
abstract class ReadWriteLockContractOwners extends ReadWriteContractPart {

    ReadWriteLockContractOwners(LockSite site) {
        super(site);
    }

    // ---- reentrancy

    @Test
    void bothSidesAreReentrant() {
        FencedReadWriteLock lock = both();
        for (FencedLock side : new FencedLock[] {lock.readLock(), lock.writeLock()}) {
            side.lock();
            side.lock();
            assertThat(side.tryLock()).isTrue();
            assertThat(side.holdCount()).isEqualTo(3);
            side.unlock();
            side.unlock();
            assertThat(side.isHeldByCurrentThread()).isTrue();
            side.unlock();
            assertThat(side.isHeldByCurrentThread()).isFalse();
            assertThat(side.holdCount()).isZero();
        }
        awaitHolders(0);
    }

    @Test
    void aSideIsHeldByItsOwnThreadOnly() {
        FencedReadWriteLock lock = both();
        for (FencedLock side : new FencedLock[] {lock.readLock(), lock.writeLock()}) {
            side.lock();
            run(() -> {
                        assertThat(side.isHeldByCurrentThread()).isFalse();
                        assertThat(side.holdCount()).isZero();
                        assertThat(side.currentLease()).isEmpty();
                        assertThat(side.isLocked()).isTrue();
                    })
                    .get();
            assertThat(side.isHeldByCurrentThread()).isTrue();
            side.unlock();
        }
    }

    @Test
    void aNestedFixedLeaseNeitherShortensNorProlongsTheOuterOne() {
        FencedReadWriteLock renewed = both(SHORT);
        FencedReadWriteLock ends = both(ENDS);
        for (boolean reads : new boolean[] {true, false}) {
            FencedLock outer = reads ? renewed.readLock() : renewed.writeLock();
            outer.lock();
            FencedLock shorter = outer.withOptions(ENDS);
            shorter.lock();
            pass(FIXED.multipliedBy(2));
            assertThat(outer.isHeldByCurrentThread()).isTrue();
            shorter.unlock();
            outer.unlock();

            FencedLock fixed = reads ? ends.readLock() : ends.writeLock();
            fixed.lock();
            Lease lease = fixed.currentLease().orElseThrow();
            FencedLock longer = fixed.withOptions(SHORT);
            longer.lock();
            longer.unlock();
            get(lease.whenLost());
            assertThatThrownBy(fixed::unlock).isInstanceOf(LeaseLostException.class);
            get(both().writeLock().tryAcquireAsync(PROMPT)).orElseThrow().release();
        }
    }

    @Test
    void aReaderReadsAgainAlthoughAWriterWaits() {
        FencedLock read = both().readLock();
        read.lock();
        Holder writer = holdInTime(both().writeLock());
        awaitWaiting(1);
        read.lock();
        read.unlock();
        assertThat(writer.isHolding()).isFalse();
        read.unlock();
        writer.token();
        writer.release();
    }

    @Test
    void aLeaseOfAReaderIsALevel() {
        FencedLock read = both().readLock();
        read.lock();
        try (Lease lease = read.acquire()) {
            assertThat(read.holdCount()).isEqualTo(2);
            assertThat(lease.fencingToken()).isEqualTo(tokenOf(read));
        }
        assertThat(read.currentLease()).isPresent();
        read.unlock();
        assertThat(read.currentLease()).isEmpty();
    }

    @Test
    void anUnlockWithoutALockIsRefused() {
        FencedReadWriteLock lock = both();
        assertThatThrownBy(() -> lock.readLock().unlock())
                .isInstanceOf(IllegalMonitorStateException.class)
                .hasMessageContaining("read lock of '" + name + "'");
        assertThatThrownBy(() -> lock.writeLock().unlock())
                .isInstanceOf(IllegalMonitorStateException.class)
                .hasMessageContaining("write lock of '" + name + "'");
        lock.readLock().lock();
        run(() -> assertThatThrownBy(() -> lock.readLock().unlock()).isInstanceOf(IllegalMonitorStateException.class))
                .get();
        assertThatThrownBy(() -> lock.writeLock().unlock()).isInstanceOf(IllegalMonitorStateException.class);
        lock.readLock().unlock();
    }

    // ---- a writer that reads

    @Test
    void aWriterReadsWithoutWaiting() {
        Party party = party();
        FencedReadWriteLock lock = party.client().readWriteLock(name);
        lock.writeLock().lock();
        long sent = party.backend().requests();
        lock.readLock().lock();
        assertThat(lock.readLock().tryLock()).isTrue();
        assertThat(party.backend().requests()).isEqualTo(sent);
        assertThat(tokenOf(lock.readLock())).isEqualTo(tokenOf(lock.writeLock()));
        assertThat(lock.readLock().holdCount()).isEqualTo(2);
        assertThat(lock.writeLock().holdCount()).isEqualTo(1);
        lock.readLock().unlock();
        lock.readLock().unlock();
        assertThat(lock.writeLock().isHeldByCurrentThread()).isTrue();
        assertThat(both().readLock().tryLock()).isFalse();
        lock.writeLock().unlock();
        awaitHolders(0);
    }

    @Test
    void aWriterThatReadsGoesOnAsAReader() throws InterruptedException {
        FencedReadWriteLock lock = both();
        FencedReadWriteLock other = both();
        lock.writeLock().lock();
        Holder reader = holdInTime(other.readLock());
        awaitWaiting(1);
        Holder writer = holdInTime(both().writeLock());
        awaitWaiting(2);
        lock.readLock().lock();
        lock.writeLock().unlock();
        reader.token();
        assertThat(writer.isHolding()).isFalse();
        assertThat(lock.readLock().isHeldByCurrentThread()).isTrue();
        assertThat(lock.writeLock().isHeldByCurrentThread()).isFalse();
        reader.release();
        assertThat(other.writeLock().tryLock(50, TimeUnit.MILLISECONDS)).isFalse();
        lock.readLock().unlock();
        writer.token();
        writer.release();
    }

    @Test
    void aDowngradedHoldIsNotHandedToAWriter() {
        FencedReadWriteLock lock = both();
        lock.writeLock().lock();
        Holder reader = holdInTime(both().readLock());
        awaitWaiting(1);
        Holder writer = holdInTime(lock.writeLock());
        lock.readLock().lock();
        lock.writeLock().unlock();
        reader.token();
        awaitWaiting(1);
        assertThat(writer.isHolding()).isFalse();
        lock.readLock().unlock();
        assertThat(writer.isHolding()).isFalse();
        reader.release();
        writer.token();
        writer.release();
    }

    @Test
    void aDowngradedReaderIsRenewedAndKeepsItsToken() {
        FencedReadWriteLock lock = both(SHORT);
        lock.writeLock().lock();
        lock.readLock().lock();
        long token = tokenOf(lock.readLock());
        lock.writeLock().unlock();
        pass(RENEWED.multipliedBy(2));
        assertThat(lock.readLock().isHeldByCurrentThread()).isTrue();
        assertThat(tokenOf(lock.readLock())).isEqualTo(token);
        assertThat(both().writeLock().tryLock()).isFalse();
        lock.readLock().unlock();
        awaitHolders(0);
    }

    @Test
    void aReaderMayBeEnteredAgainAfterADowngrade() {
        FencedReadWriteLock lock = both();
        lock.writeLock().lock();
        lock.readLock().lock();
        lock.writeLock().unlock();
        lock.readLock().lock();
        assertThat(lock.readLock().holdCount()).isEqualTo(2);
        lock.readLock().unlock();
        lock.readLock().unlock();
        assertThat(both().writeLock().tryLock()).isTrue();
    }

    @Test
    void aWriterMayReadByALease() {
        FencedReadWriteLock lock = both();
        Lease writing = lock.writeLock().acquire();
        Lease reading = lock.readLock().acquire();
        writing.release();
        assertThat(reading.isValid()).isTrue();
        Holder other = hold(both().readLock());
        other.release();
        reading.release();
        awaitHolders(0);
    }

    // ---- a reader that wants to write

    @Test
    void aReaderThatWantsToWriteIsToldOfTheDeadlock() {
        FencedReadWriteLock lock = both();
        lock.readLock().lock();
        assertThatThrownBy(() -> lock.writeLock().lock())
                .isInstanceOf(IllegalMonitorStateException.class)
                .hasMessageContaining("would wait for ever");
        assertThatThrownBy(() -> lock.writeLock().tryLock()).isInstanceOf(IllegalMonitorStateException.class);
        assertThatThrownBy(() -> lock.writeLock().tryLock(1, TimeUnit.SECONDS))
                .isInstanceOf(IllegalMonitorStateException.class);
        assertThatThrownBy(() -> lock.writeLock().acquire()).isInstanceOf(IllegalMonitorStateException.class);
        lock.readLock().unlock();
        assertThat(lock.writeLock().tryLock()).isTrue();
        lock.writeLock().unlock();
    }

    @Test
    void aDowngradedReaderThatWantsToWriteIsToldOfTheDeadlock() {
        FencedReadWriteLock lock = both();
        lock.writeLock().lock();
        lock.readLock().lock();
        lock.writeLock().unlock();
        assertThatThrownBy(() -> lock.writeLock().lock()).isInstanceOf(IllegalMonitorStateException.class);
        lock.readLock().unlock();
    }

    @Test
    void aReaderMayWriteByAnAsynchronousLeaseLater() {
        FencedReadWriteLock lock = both();
        lock.readLock().lock();
        Optional<Lease> refused = get(lock.writeLock().tryAcquireAsync(Duration.ofMillis(50)));
        assertThat(refused).isEmpty();
        lock.readLock().unlock();
    }

    // ---- questions

    @Test
    void isLockedTellsTheSides() {
        FencedReadWriteLock lock = both();
        FencedReadWriteLock other = both();
        lock.readLock().lock();
        assertThat(other.readLock().isLocked()).isTrue();
        assertThat(other.writeLock().isLocked()).isFalse();
        lock.readLock().unlock();
        lock.writeLock().lock();
        assertThat(other.readLock().isLocked()).isFalse();
        assertThat(other.writeLock().isLocked()).isTrue();
        lock.readLock().lock(); // a writer that reads is a writer to all others
        assertThat(other.readLock().isLocked()).isFalse();
        assertThat(other.writeLock().isLocked()).isTrue();
        lock.writeLock().unlock();
        Await.until("the downgrade has arrived", () -> other.readLock().isLocked());
        assertThat(other.writeLock().isLocked()).isFalse();
        lock.readLock().unlock();
        assertThat(other.readLock().isLocked()).isFalse();
    }

    @Test
    void viewsAreEqualByClientNameAndSide() {
        LockClient client = party().client();
        FencedReadWriteLock lock = client.readWriteLock(name);
        assertThat(client.readWriteLock(name)).isEqualTo(lock).hasSameHashCodeAs(lock);
        assertThat(client.readWriteLock(name).readLock())
                .isEqualTo(lock.readLock())
                .isEqualTo(lock.readLock().withOptions(SHORT))
                .hasSameHashCodeAs(lock.readLock())
                .isNotEqualTo(lock.writeLock())
                .isNotEqualTo(client.lock(name));
        assertThat(lock.writeLock()).isNotEqualTo(client.lock(name)).isNotEqualTo(both().writeLock());
        assertThat(lock.withOptions(SHORT)).isEqualTo(lock);
        assertThat(lock.name()).isEqualTo(name);
        assertThat(lock.readLock().name()).isEqualTo(name);
    }
}
