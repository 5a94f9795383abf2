// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.BackendException;
import io.boltwork.Lease;
import io.boltwork.LockKind;
import io.boltwork.LockListener;
import io.boltwork.engine.drive.LockKey;
import io.boltwork.engine.locks.EngineReadWriteLock;
import io.boltwork.spi.Command;
import io.boltwork.spi.Share;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests, step by step, how the readers and writers of one client share its requests, and when it sends them. */
class ReadWriteRulesTest extends ReadWriteScene {

    private boolean isInUse() {
        return client.engine.drivers.driver(LockKey.of(LockKind.READ_WRITE, NAME)) != null;
    }

    // ---- readers that share a hold

    @Test
    void aReaderThatJoinsSendsNothingAndIsToldOf() {
        List<String> events = listen();
        Lease first = granted(reads());
        forget();
        Lease second = granted(reads());
        assertThat(sent).isEmpty();
        assertThat(second.fencingToken()).isEqualTo(first.fencingToken() + 1);
        first.release();
        assertThat(sent).isEmpty();
        second.release();
        assertThat(sent(Command.Release.class)).hasSize(1);
        assertThat(events)
                .containsExactly(
                        "acquired " + first.fencingToken(),
                        "acquired " + second.fencingToken(),
                        "released " + first.fencingToken(),
                        "released " + second.fencingToken());
    }

    private List<String> listen() {
        List<String> events = new ArrayList<>();
        client.engine.core.listeners.add(new LockListener() {
            @Override
            public void acquired(Acquired event) {
                events.add("acquired " + event.fencingToken());
            }

            @Override
            public void released(Released event) {
                events.add("released " + event.fencingToken());
            }
        });
        return events;
    }

    @Test
    void readersWithOtherOptionsDoNotJoin() {
        granted(reads());
        granted(reads(TWENTY));
        granted(reads());
        granted(reads(FIFO));
        assertThat(asked()).as("one for each of the options").hasSize(3);
        assertThat(record().holders()).hasSize(3);
    }

    @Test
    void aTryOfAReaderWaitsForNothing() {
        askElsewhere("other:1", Share.WRITE);
        CompletableFuture<Lease> waits = reads();
        long begin = now();
        assertThat(lock.readLock().tryLock()).isFalse();
        assertThat(now()).isEqualTo(begin);
        assertThat(queued()).isEqualTo(1);
        pass(10); // otherwise the hold would have no tokens for others
        endElsewhere("other:1", Share.WRITE);
        assertThat(granted(waits).isValid()).isTrue();
        assertThat(granted(reads()).isValid()).isTrue();
        assertThat(record().holders()).hasSize(1);
    }

    @Test
    void laterReadersAreJoinedInTurn() {
        Lease first = granted(reads());
        pass(1_000); // longer than a slice
        Lease second = granted(reads());
        Lease third = granted(reads());
        assertThat(asked()).hasSize(2);
        assertThat(third.fencingToken()).isEqualTo(second.fencingToken() + 1);
        assertThat(record().holders()).hasSize(2);
        first.release();
        assertThat(record().holders()).hasSize(1);
    }

    @Test
    void aReaderThatGivesUpLeavesTheOthersAlone() {
        askElsewhere("other:1", Share.WRITE);
        CompletableFuture<Lease> first = reads();
        CompletableFuture<Lease> second = reads();
        first.cancel(true);
        assertThat(queued()).isEqualTo(1);
        endElsewhere("other:1", Share.WRITE);
        assertThat(granted(second).isValid()).isTrue();
    }

    // ---- a writer that goes on as a reader

    @Test
    void theUnlockOfAWriterThatReadsDoesNotWait() {
        List<String> events = listen();
        lock.writeLock().lock();
        lock.readLock().lock();
        long token = lock.readLock().currentLease().orElseThrow().fencingToken();
        isSilent();
        long begin = now();
        lock.writeLock().unlock();
        assertThat(now()).as("the answer to the renewal is not awaited").isEqualTo(begin);
        assertThat(sent(Command.Renew.class)).hasSize(1);
        assertThat(lock.writeLock().isHeldByCurrentThread()).isFalse();
        assertThat(lock.readLock().isHeldByCurrentThread()).isTrue();
        assertThat(events).containsExactly("acquired " + token, "acquired " + token, "released " + token);
    }

    @Test
    void aWriterWaitsForOneThatGoesOnAsAReader() {
        lock.writeLock().lock();
        lock.readLock().lock();
        CompletableFuture<Lease> next = writes();
        lock.writeLock().unlock();
        assertThat(next).isNotDone();
        lock.readLock().unlock();
        assertThat(granted(next).isValid()).isTrue();
    }

    // ---- holds that may have ended, and owners that are gone

    /** Lets the machine look suspended for the length of a lease, while the server cannot be asked. */
    private void seemSuspended() {
        isSilent();
        client.setWall(10_000 * MILLI);
        pass(1_000); // until the next check of the clocks
    }

    private static boolean isUnverified(Lease lease) {
        return !lease.isValid() && holdOf(lease).loss() == null;
    }

    @Test
    void noReaderOfAHoldThatMayHaveEndedIsValid() {
        Lease first = granted(reads());
        Lease second = granted(reads());
        assertThat(asked()).as("they share a hold").hasSize(1);
        seemSuspended();
        assertThat(isUnverified(first) && isUnverified(second)).isTrue();
        answersAgain();
        pass(2_000);
        assertThat(first.isValid() && second.isValid())
                .as("the server still knows the hold")
                .isTrue();
    }

    @Test
    void aWriterThatReadsHoldsNeitherUntilItIsVerified() {
        lock.writeLock().lock();
        lock.readLock().lock();
        Lease writing = lock.writeLock().currentLease().orElseThrow();
        Lease reading = lock.readLock().currentLease().orElseThrow();
        seemSuspended();
        assertThat(isUnverified(writing) && isUnverified(reading)).isTrue();
        answersAgain();
        pass(2_000);
        assertThat(writing.isValid() && reading.isValid()).isTrue();
    }

    @Test
    void aHoldIsAbandonedWhenAllItsReadersAreGone() throws InterruptedException {
        List<String> events = new ArrayList<>();
        client.engine.core.listeners.add(new LockListener() {
            @Override
            public void abandoned(Abandoned event) {
                events.add(event.kind() + " " + event.absence());
            }
        });
        inThread("first", () -> lock.readLock().lock());
        Lease living = granted(reads());
        assertThat(asked()).as("they share a hold").hasSize(1);
        pass(60_000);
        assertThat(events).isEmpty();
        assertThat(record().holders()).hasSize(1);
        living.release();
        pass(60_000);
        assertThat(events).containsExactly(LockKind.READ_WRITE + " " + LockListener.Absence.THREAD_ENDED);
        assertThat(record().holders()).isEmpty();
    }

    // ---- what the server has forgotten

    @Test
    void allRequestsAskAgainOnceTheServerHasForgottenOne() {
        askElsewhere("other:1", Share.WRITE);
        reads();
        pass(1_000); // so that they poll one after the other
        reads(FIFO);
        pass(1_000);
        writes();
        assertThat(queued()).isEqualTo(3);
        client.server.flush();
        askElsewhere("other:2", Share.WRITE);
        forget();
        while (queued() == 0) {
            pass(1);
            assertThat(now()).isLessThan(20_000);
        }
        assertThat(queued()).as("the first that asks again lets the others ask").isEqualTo(3);
        assertThat(asked()).doesNotHaveDuplicates();
    }

    // ---- the end

    @Test
    void aLockThatIsNoLongerUsedTakesNoMemory() {
        askElsewhere("other:1", Share.WRITE);
        CompletableFuture<Lease> reader = reads();
        CompletableFuture<Lease> alone = reads(FIFO);
        reads().cancel(true);
        endElsewhere("other:1", Share.WRITE);
        granted(reader).release();
        granted(alone).release();
        lock.writeLock().lock();
        lock.readLock().lock();
        lock.writeLock().unlock();
        assertThat(isInUse()).isTrue();
        lock.readLock().unlock();
        pass(60_000);
        assertThat(client.engine.drivers.count()).isZero();
        assertThat(isInUse()).isFalse();
        assertThat(lock.readLock().isHeldByCurrentThread()).isFalse();
    }

    @Test
    void allReadersHaveOneMachine() {
        for (int i = 0; i < 50; i++) {
            Lease first = granted(reads(FIFO));
            granted(reads(FIFO)).release();
            first.release();
            pass(1);
        }
        assertThat(client.engine.drivers.count()).isEqualTo(1);
        assertThat(client.engine.drivers.all()).as("holds that are over").allMatch(driver -> !driver.machine.isHeld());
    }

    // ---- views

    @Test
    void isLockedTellsReadersAndWriters() {
        assertThat(lock.readLock().isLocked() || lock.writeLock().isLocked()).isFalse();
        Lease reader = granted(reads());
        assertThat(lock.readLock().isLocked()).isTrue();
        assertThat(lock.writeLock().isLocked()).isFalse();
        reader.release();
        lock.writeLock().lock();
        assertThat(lock.readLock().isLocked()).isFalse();
        assertThat(lock.writeLock().isLocked()).isTrue();
    }

    @Test
    void viewsAreEqualByClientNameAndSide() {
        EngineReadWriteLock same = new EngineReadWriteLock(client.engine, NAME, FIFO);
        assertThat(lock.name()).isEqualTo(NAME);
        assertThat(lock).isEqualTo(same).hasSameHashCodeAs(same);
        assertThat(lock.readLock()).isEqualTo(same.readLock()).isNotEqualTo(lock.writeLock());
        EngineReadWriteLock another = new EngineReadWriteLock(client.engine, "m", TEN);
        assertThat(lock).isNotEqualTo(another).isNotEqualTo(null).isNotEqualTo(NAME);
        assertThat(lock.hashCode()).isNotEqualTo(another.hashCode());
        assertThat(lock).isNotEqualTo(new EngineReadWriteLock(new StillClient().engine, NAME, TEN));
        assertThat(lock.readLock().withOptions(FIFO)).isEqualTo(lock.readLock());
        assertThat(lock).hasToString("FencedReadWriteLock['" + NAME + "']");
        assertThat(lock.readLock().toString()).startsWith("ReadLock['" + NAME + "', ");
        assertThat(lock.writeLock().toString()).startsWith("WriteLock['" + NAME + "', ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"alike", "FIFO", "alone"})
    void aReaderFailsWhenTheOutagePatienceEnds(String kind) {
        askElsewhere("other:1", Share.WRITE);
        CompletableFuture<Lease> reader = reads(
                switch (kind) {
                    case "alike" -> TEN;
                    case "FIFO" -> FIFO;
                    default -> TEN.withMaxHold(TEN.lease());
                });
        fails(false, BROKEN);
        client.engine.backendWatch.disconnected(BROKEN);
        pass(client.engine.core.timing.outagePatience() / 1_000_000 + 1_000);
        assertThat(reader).failsWithin(Duration.ZERO).withThrowableThat().withCauseInstanceOf(BackendException.class);
    }
}
