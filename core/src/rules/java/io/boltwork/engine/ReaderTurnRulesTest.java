// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.ClientClosedException;
import io.boltwork.Lease;
import io.boltwork.LockKind;
import io.boltwork.LockOptions;
import io.boltwork.spi.ForceRelease;
import io.boltwork.spi.Share;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Readers have turns of a writer's hold of their client, within its slice of 1 ms. */
class ReaderTurnRulesTest extends ReadWriteScene {

    @Test
    void readersAndWritersPassAHoldOnWithoutTheServer() {
        Lease first = granted(writes());
        CompletableFuture<Lease> second = writes();
        CompletableFuture<Lease> reader = reads();
        CompletableFuture<Lease> third = writes();
        CompletableFuture<Lease> another = reads();
        sent.clear();
        first.release();
        assertThat(reader).as("the second writer was first").isNotDone();
        granted(second).release();
        long token = granted(reader).fencingToken();
        assertThat(token).isEqualTo(first.fencingToken() + 2);
        assertThat(granted(another).fencingToken()).isEqualTo(token + 1);
        assertThat(granted(reads()).fencingToken()).as("came later").isEqualTo(token + 2);
        assertThat(held()).containsExactly(Share.WRITE.permits());
        assertThat(third).isNotDone();
        granted(reader).release();
        granted(another).release();
        assertThat(third).as("a third reader reads").isNotDone();
        assertThat(sent).isEmpty();
    }

    @Test
    void theLastReaderPassesTheHoldOnToAWriter() {
        Lease first = granted(writes());
        CompletableFuture<Lease> reader = reads();
        CompletableFuture<Lease> second = writes();
        sent.clear();
        first.release();
        granted(reader).release();
        assertThat(granted(second).fencingToken()).isEqualTo(first.fencingToken() + 2);
        assertThat(sent).isEmpty();
        second.join().release();
        assertThat(sent).hasSize(1);
        assertThat(held()).isEmpty();
    }

    @Test
    void eachSideSaysWhetherItIsLockedDuringATurn() {
        Lease first = granted(writes());
        CompletableFuture<Lease> reader = reads();
        assertThat(locked()).isEqualTo("written");
        first.release();
        assertThat(granted(reader).isValid()).isTrue();
        assertThat(held()).containsExactly(Share.WRITE.permits());
        assertThat(locked()).isEqualTo("read");
        CompletableFuture<Lease> second = writes();
        assertThat(locked()).isEqualTo("read");
        granted(reader).release();
        assertThat(granted(second).isValid()).isTrue();
        assertThat(locked()).isEqualTo("written");
        second.join().release();
        assertThat(locked()).isEqualTo("free");
    }

    @Test
    void aTurnThatOutlivesItsSliceIsReadAllTheTime() {
        Lease writer = granted(writes());
        CompletableFuture<Lease> reader = reads();
        writer.release();
        assertThat(locked()).isEqualTo("read");
        pass(1);
        assertThat(held()).containsExactly(Share.READ.permits());
        assertThat(locked()).isEqualTo("read");
        granted(reader).release();
        assertThat(locked()).isEqualTo("free");
    }

    private String locked() {
        boolean read = lock.readLock().isLocked();
        boolean written = lock.writeLock().isLocked();
        return read ? written ? "both" : "read" : written ? "written" : "free";
    }

    @Test
    void aTurnThatLastsLongerThanASliceLetsOthersRead() {
        Lease writer = granted(writes());
        CompletableFuture<Lease> reader = reads();
        writer.release();
        assertThat(isFreeElsewhere(Share.READ)).isFalse();
        pass(1);
        assertThat(held()).containsExactly(Share.READ.permits());
        assertThat(isFreeElsewhere(Share.READ)).isTrue();
        assertThat(granted(reader).isValid()).isTrue();
        granted(reader).release();
        assertThat(held()).isEmpty();
    }

    @Test
    void aWriterWaitsAtTheServerForReadersWhoseTurnHasEnded() {
        Lease writer = granted(writes());
        CompletableFuture<Lease> reader = reads();
        writer.release();
        pass(1);
        CompletableFuture<Lease> next = writes();
        assertThat(queued()).isEqualTo(1);
        assertThat(isFreeElsewhere(Share.READ)).as("the writer is first").isFalse();
        granted(reader).release();
        assertThat(granted(next).fencingToken()).isGreaterThan(granted(reader).fencingToken());
    }

    @Test
    void aReaderWaitsForASliceAtMostBeforeItAsksTheServer() {
        Lease writer = granted(writes());
        CompletableFuture<Lease> reader = reads();
        assertThat(queued()).isZero();
        pass(1);
        assertThat(queued()).isEqualTo(1);
        assertThat(reads()).as("comes after the slice").isNotDone();
        writer.release();
        assertThat(granted(reader).isValid()).isTrue();
        assertThat(held()).containsExactly(Share.READ.permits());
    }

    @Test
    void aReaderThatCannotJoinEndsTheTurn() {
        for (LockOptions options : List.of(TWENTY, FIFO, TEN.withMaxHold(TEN.lease()))) {
            Lease writer = granted(writes());
            CompletableFuture<Lease> reader = reads();
            writer.release();
            Lease another = granted(reads(options));
            assertThat(held()).as("%s", options).containsExactly(1, 1);
            granted(reader).release();
            another.release();
        }
    }

    @Test
    void aTryJoinsReadersWhoHaveATurn() {
        Lease writer = granted(writes());
        CompletableFuture<Lease> reader = reads();
        assertThat(lock.readLock().tryLock()).isFalse();
        writer.release();
        sent.clear();
        assertThat(lock.readLock().tryLock()).isTrue();
        assertThat(sent).isEmpty();
        assertThat(lock.readLock().isLocked()).isTrue();
        lock.readLock().unlock();
        granted(reader).release();
    }

    @Test
    void readersHaveNoTurnOfAHoldThatIsNotPassedOn() {
        for (LockOptions options : List.of(FIFO, TEN.withMinHold(TEN.lease().dividedBy(100)))) {
            Lease writer = granted(writes(options));
            CompletableFuture<Lease> reader = reads();
            assertThat(queued()).as("%s", options).isEqualTo(1);
            pass(1_000);
            writer.release();
            granted(reader).release();
        }
    }

    @Test
    void readersWithOtherOptionsHaveNoTurn() {
        Lease writer = granted(writes());
        CompletableFuture<Lease> reader = reads(TWENTY);
        assertThat(queued()).isEqualTo(1);
        writer.release();
        assertThat(granted(reader).isValid()).isTrue();
        assertThat(held()).containsExactly(Share.READ.permits());
    }

    @Test
    void aReaderWhoseTurnComesTooLateLeavesTheMachineToWriters() {
        Lease writer = granted(writes());
        CompletableFuture<Lease> reader = reads();
        stall(2); // the timer is late
        sent.clear();
        writer.release();
        assertThat(granted(reader).isValid()).isTrue();
        assertThat(sent).as("the release, and the reader's own request").hasSize(2);
        assertThat(writes()).isNotDone();
        assertThat(queued()).as("the next writer is there").isEqualTo(1);
    }

    @Test
    void aTryEndsATurnThatItCannotJoin() {
        Lease writer = granted(writes());
        CompletableFuture<Lease> reader = reads();
        writer.release();
        granted(reader).extend(TWENTY.lease());
        assertThat(lock.readLock().tryLock()).isTrue();
        assertThat(held()).containsExactly(1, 1);
        lock.readLock().unlock();
    }

    @Test
    void readersAskTheServerWhenTheWriterHasLostTheLock() {
        Lease writer = granted(writes());
        CompletableFuture<Lease> reader = reads();
        client.server.execute(new ForceRelease(NAME, 0, LockKind.READ_WRITE));
        assertThat(writer.isValid()).isFalse();
        assertThat(granted(reader).isValid()).isTrue();
        assertThat(held()).containsExactly(Share.READ.permits());
    }

    @Test
    void readersWithATurnLoseTheLockTogether() {
        Lease writer = granted(writes());
        List<CompletableFuture<Lease>> readers = List.of(reads(), reads());
        writer.release();
        client.server.execute(new ForceRelease(NAME, 0, LockKind.READ_WRITE));
        assertThat(readers).noneMatch(reader -> granted(reader).isValid());
    }

    @Test
    void readersAskTheServerWhenTheWriterGoesOnAsAReader() {
        lock.writeLock().lock();
        CompletableFuture<Lease> reader = reads();
        lock.readLock().lock();
        lock.writeLock().unlock();
        assertThat(granted(reader).isValid()).isTrue();
        assertThat(held()).containsExactly(1, 1);
        lock.readLock().unlock();
    }

    @Test
    void aReaderThatGivesUpHasNoTurn() {
        Lease writer = granted(writes());
        CompletableFuture<Lease> reader = reads();
        reader.cancel(false);
        writer.release();
        assertThat(held()).isEmpty();
    }

    @Test
    void readersThatWaitForATurnLearnThatTheClientIsClosed() {
        granted(writes());
        CompletableFuture<Lease> reader = reads();
        client.engine.close();
        assertThatThrownBy(reader::join).hasCauseInstanceOf(ClientClosedException.class);
    }
}
