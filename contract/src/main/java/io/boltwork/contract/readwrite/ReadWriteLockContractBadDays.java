// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract.readwrite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.ClientClosedException;
import io.boltwork.FencedLock;
import io.boltwork.FencedReadWriteLock;
import io.boltwork.Lease;
import io.boltwork.LeaseLoss;
import io.boltwork.LeaseLostException;
import io.boltwork.LockOptions;
import io.boltwork.contract.LockSite;
import io.boltwork.contract.part.ContractPart;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Readers and writers when leases end, clients die, and servers forget or stop. */
abstract class ReadWriteLockContractBadDays extends ReadWriteContractPart {

    ReadWriteLockContractBadDays(LockSite site) {
        super(site);
    }

    @Test
    void bothSidesAreRenewed() {
        FencedReadWriteLock lock = both(SHORT);
        FencedReadWriteLock other = both(SHORT);
        lock.readLock().lock();
        pass(RENEWED.multipliedBy(2));
        assertThat(other.writeLock().tryLock()).isFalse();
        lock.readLock().unlock();
        lock.writeLock().lock();
        pass(RENEWED.multipliedBy(2));
        assertThat(other.readLock().tryLock()).isFalse();
        lock.writeLock().unlock();
    }

    @Test
    void manyReadersOfOneClientAreRenewed() {
        FencedLock read = both(SHORT).readLock();
        List<Lease> readers = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            readers.add(get(read.acquireAsync()));
        }
        pass(RENEWED.multipliedBy(2));
        assertThat(readers).allMatch(Lease::isValid);
        assertThat(both().writeLock().tryLock()).isFalse();
        readers.forEach(Lease::release);
    }

    @Test
    void readersAreServedWhenAWritersFixedLeaseEnds() {
        List<FencedLock> reads = List.of(both(SHORT).readLock(), both(SHORT).readLock());
        FencedLock write = both(ENDS).writeLock();
        long start = System.nanoTime();
        Lease writing = get(write.acquireAsync());
        List<CompletableFuture<Lease>> readers = new ArrayList<>();
        for (FencedLock read : reads) {
            readers.add(read.acquireAsync().toCompletableFuture());
        }
        List<Lease> served = readers.stream().map(ContractPart::get).toList();
        assertThat(since(start)).isBetween(FIXED.minusMillis(20), FIXED.plus(TOLERANCE));
        assertThat(writing.isValid()).isFalse();
        assertThat(served).allMatch(Lease::isValid);
        served.forEach(Lease::release);
        assertThatThrownBy(writing::release).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void aWriterIsServedWhenTheLastReadersFixedLeaseEnds() {
        FencedLock read = both(ENDS).readLock();
        FencedLock other = both(SHORT).readLock();
        FencedLock write = both(SHORT).writeLock();
        long start = System.nanoTime();
        Lease ends = get(read.acquireAsync());
        Lease released = get(other.acquireAsync());
        CompletableFuture<Lease> writer = write.acquireAsync().toCompletableFuture();
        released.release();
        Lease writing = get(writer);
        assertThat(since(start)).isBetween(FIXED.minusMillis(20), FIXED.plus(TOLERANCE));
        assertThat(ends.isValid()).isFalse();
        assertThat(writing.fencingToken()).isGreaterThan(ends.fencingToken());
        writing.release();
    }

    @Test
    void fixedLeasesOfReadersEndOneByOne() {
        FencedReadWriteLock lock = both(ENDS);
        Lease first = get(lock.readLock().acquireAsync());
        pass(FIXED.dividedBy(2));
        Lease second = get(lock.readLock().acquireAsync());
        assertThat(get(first.whenLost()).reason()).isEqualTo(LeaseLoss.Reason.EXPIRED);
        assertThat(second.isValid()).isTrue();
        assertThatThrownBy(first::release).isInstanceOf(LeaseLostException.class);
        second.release();
    }

    @Test
    void aFixedLeaseOfAWriterThatReadsEndsForBoth() {
        FencedReadWriteLock lock = both(ENDS);
        lock.writeLock().lock();
        lock.readLock().lock();
        Lease reading = lock.readLock().currentLease().orElseThrow();
        assertThat(get(reading.whenLost()).reason()).isEqualTo(LeaseLoss.Reason.EXPIRED);
        assertThat(lock.writeLock().isHeldByCurrentThread()).isFalse();
        assertThatThrownBy(() -> lock.writeLock().unlock()).isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(() -> lock.readLock().unlock()).isInstanceOf(LeaseLostException.class);
        get(both().writeLock().acquireAsync()).release();
    }

    @Test
    void aFixedLeaseEndsAfterADowngrade() {
        FencedReadWriteLock lock = both(ENDS);
        lock.writeLock().lock();
        lock.readLock().lock();
        lock.writeLock().unlock();
        Lease reading = lock.readLock().currentLease().orElseThrow();
        assertThat(get(reading.whenLost()).reason()).isEqualTo(LeaseLoss.Reason.EXPIRED);
        assertThatThrownBy(() -> lock.readLock().unlock()).isInstanceOf(LeaseLostException.class);
        assertThat(get(both().writeLock().acquireAsync()).isValid()).isTrue();
    }

    @Test
    void aReaderThatLostItsLockIsToldWhenItReadsOrWritesAgain() {
        FencedReadWriteLock lock = both(ENDS);
        lock.readLock().lock();
        Lease reading = lock.readLock().currentLease().orElseThrow();
        get(reading.whenLost());
        assertThatThrownBy(() -> lock.readLock().lock()).isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(() -> lock.writeLock().lock()).isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(() -> lock.readLock().unlock()).isInstanceOf(LeaseLostException.class);
        lock.writeLock().lock();
        lock.writeLock().unlock();
    }

    @Test
    void aWriterThatLostItsLockIsToldWhenItReads() {
        FencedReadWriteLock lock = both(ENDS);
        lock.writeLock().lock();
        get(lock.writeLock().currentLease().orElseThrow().whenLost());
        assertThatThrownBy(() -> lock.readLock().lock()).isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(() -> lock.writeLock().unlock()).isInstanceOf(LeaseLostException.class);
        lock.readLock().lock();
        lock.readLock().unlock();
    }

    @Test
    void aKilledReaderDelaysAWriterByItsLease() {
        Party killed = doomedParty();
        Holder doomed = hold(killed.client().readWriteLock(name, SHORT).readLock());
        Holder alive = hold(both(SHORT).readLock());
        Holder writer = holdInTime(both(SHORT).writeLock());
        awaitWaiting(1);
        killed.kill();
        alive.release();
        long start = System.nanoTime();
        writer.token();
        assertThat(since(start)).isLessThan(RENEWED.plus(TOLERANCE));
        writer.release();
        doomed.letGo().countDown();
        assertThatThrownBy(() -> doomed.task().get()).hasRootCauseInstanceOf(LeaseLostException.class);
    }

    @Test
    void aKilledWriterDelaysReadersByItsLease() {
        Party killed = doomedParty();
        get(killed.client().readWriteLock(name, SHORT).writeLock().acquireAsync());
        List<CompletableFuture<Lease>> readers = new ArrayList<>();
        for (int i = 1; i <= 3; i++) {
            readers.add(both(SHORT).readLock().acquireAsync().toCompletableFuture());
            awaitWaiting(i);
        }
        killed.kill();
        long start = System.nanoTime();
        readers.forEach(ContractPart::get);
        assertThat(since(start)).isLessThan(RENEWED.plus(TOLERANCE));
    }

    @Test
    void aKilledWriterThatWaitsDelaysNoReader() {
        Lease reading = get(both(SHORT).readLock().acquireAsync());
        Party killed = doomedParty();
        killed.client().readWriteLock(name, SHORT).writeLock().acquireAsync();
        awaitWaiting(1);
        CompletableFuture<Lease> reader = both(SHORT).readLock().acquireAsync().toCompletableFuture();
        awaitWaiting(2);
        killed.kill();
        reading.release();
        long start = System.nanoTime();
        get(reader);
        assertThat(since(start)).isLessThan(PROMPT.plus(TOLERANCE));
    }

    @Test
    void holdsThatTheServerForgotAreRestored() {
        FencedReadWriteLock lock = both(SHORT);
        Lease one = get(lock.readLock().acquireAsync());
        Lease another = get(both(SHORT).readLock().acquireAsync());
        site.flush();
        awaitHolders(2);
        assertThat(one.isValid()).isTrue();
        assertThat(another.isValid()).isTrue();
        assertThat(both().writeLock().tryLock()).isFalse();
        one.release();
        another.release();
        awaitHolders(0);
        Lease writing = get(lock.writeLock().acquireAsync());
        site.flush();
        awaitHolders(1);
        assertThat(writing.isValid()).isTrue();
        assertThat(both().readLock().tryLock()).isFalse();
        writing.release();
    }

    @Test
    void aDowngradedHoldIsRestoredAsAReader() {
        FencedReadWriteLock lock = both(SHORT);
        lock.writeLock().lock();
        lock.readLock().lock();
        lock.writeLock().unlock();
        Lease before = get(both().readLock().acquireAsync()); // the downgrade has arrived
        site.flush();
        awaitHolders(2);
        assertThat(get(both().readLock().acquireAsync()).isValid()).isTrue();
        before.release();
        lock.readLock().unlock();
    }

    @Test
    void readersThatWaitOutliveAnOutage() {
        Lease writing = get(both().writeLock().acquireAsync());
        FencedLock read = both().readLock();
        CompletableFuture<Lease> one = read.acquireAsync().toCompletableFuture();
        CompletableFuture<Lease> another = read.acquireAsync().toCompletableFuture();
        awaitWaiting(1);
        site.disconnectAll();
        writing.release();
        get(one).release();
        get(another).release();
    }

    @Test
    void allReadersOfAClientLearnOfALoss() {
        FencedLock read = both(SHORT).readLock();
        List<Lease> readers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            readers.add(get(read.acquireAsync()));
        }
        site.freeze();
        for (Lease reader : readers) {
            assertThat(get(reader.whenLost()).reason()).isEqualTo(LeaseLoss.Reason.EXPIRED);
            assertThat(reader.isValid()).isFalse();
        }
        site.thaw();
        readers.forEach(reader -> assertThatThrownBy(reader::release).isInstanceOf(LeaseLostException.class));
    }

    @Test
    void closingReleasesBothSidesAndEndsAllWaits() {
        Party closed = party();
        FencedReadWriteLock lock = closed.client().readWriteLock(name);
        lock.writeLock().lock();
        lock.readLock().lock();
        CompletableFuture<Lease> reading = lock.readLock().acquireAsync().toCompletableFuture();
        CompletableFuture<Lease> writing = lock.writeLock().acquireAsync().toCompletableFuture();
        closed.client().close();
        assertThat(failureOf(reading)).isInstanceOf(ClientClosedException.class);
        assertThat(failureOf(writing)).isInstanceOf(ClientClosedException.class);
        assertThat(both().writeLock().tryLock()).isTrue();
        assertThatThrownBy(() -> lock.writeLock().unlock()).isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(() -> lock.readLock().unlock()).isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(() -> lock.readLock().lock()).isInstanceOf(ClientClosedException.class);
    }

    @Test
    void readersOfAClosedClientLearnOfIt() {
        Party closed = party();
        FencedReadWriteLock lock = closed.client().readWriteLock(name);
        lock.readLock().lock();
        closed.client().close();
        assertThatThrownBy(() -> lock.readLock().unlock()).isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(() -> lock.readLock().unlock()).isInstanceOf(IllegalMonitorStateException.class);
    }

    @Test
    void aReaderMayBeExtended() {
        FencedLock read = both(ENDS).readLock();
        Lease lease = get(read.acquireAsync());
        lease.extend(FIXED.multipliedBy(4));
        pass(FIXED.multipliedBy(2));
        assertThat(lease.isValid()).isTrue();
        assertThat(lease.verify()).isTrue();
        lease.release();
    }

    @Test
    void writersStayOutForTheMinHoldOfAReader() throws Exception {
        Duration min = millis(600);
        long start = System.nanoTime();
        FencedLock read = both(LockOptions.defaults().withMinHold(min)).readLock();
        read.lock();
        read.unlock();
        FencedReadWriteLock other = both(SHORT);
        assertThat(other.readLock().tryLock()).isTrue();
        other.readLock().unlock();
        assertThat(other.writeLock().tryLock()).isFalse();
        assertThat(other.writeLock().tryAcquire(Duration.ofSeconds(10))).isPresent();
        assertThat(since(start)).isGreaterThanOrEqualTo(min);
    }

    @Test
    void aReaderWithMaxHoldLosesItThen() {
        Lease lease =
                get(both(LockOptions.defaults().withMaxHold(FIXED)).readLock().acquireAsync());
        assertThat(get(lease.whenLost()).reason()).isEqualTo(LeaseLoss.Reason.MAX_HOLD);
        get(both().writeLock().acquireAsync()).release();
    }
}
