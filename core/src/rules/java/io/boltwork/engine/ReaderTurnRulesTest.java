package io.boltwork.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.ClientClosedException;
import io.boltwork.FencedReadWriteLock;
import io.boltwork.Lease;
import io.boltwork.LockKind;
import io.boltwork.LockOptions;
import io.boltwork.spi.Command;
import io.boltwork.spi.HeldShare;
import io.boltwork.spi.Look;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Report;
import io.boltwork.spi.Share;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Readers have turns of a writer's hold of their client, within its slice of 1 ms. */
class ReaderTurnRulesTest extends EngineScene {

    private final FencedReadWriteLock lock = lock(TEN);
    private int remote;

    private FencedReadWriteLock lock(LockOptions options) {
        return new EngineReadWriteLock(client.engine, "lock", options);
    }

    private static CompletableFuture<Lease> reads(FencedReadWriteLock lock) {
        return lock.readLock().acquireAsync().toCompletableFuture();
    }

    private static CompletableFuture<Lease> writes(FencedReadWriteLock lock) {
        return lock.writeLock().acquireAsync().toCompletableFuture();
    }

    private Report.Inspected lookAtIt() {
        return client.server.execute(new Look.Inspect("lock", LockKind.READ_WRITE));
    }

    private List<Integer> heldAtServer() {
        return lookAtIt().holders().stream()
                .map(Report.Inspected.Holder::permits)
                .toList();
    }

    /** Returns whether another client may read now. */
    private boolean isReadable() {
        Command.Acquire tried =
                new Command.Acquire("lock", "other:" + ++remote, false, 10_000, 0, Long.MAX_VALUE, Share.READ);
        boolean reads = client.server.execute(tried).verdict() == Reply.Verdict.GRANTED;
        client.server.execute(new Command.Withdraw("lock", tried.request(), 0, new HeldShare(Share.READ, 0, 0)));
        return reads;
    }

    @Test
    void readersAndWritersPassAHoldOnWithoutTheServer() {
        Lease first = granted(writes(lock));
        CompletableFuture<Lease> second = writes(lock);
        CompletableFuture<Lease> reader = reads(lock);
        CompletableFuture<Lease> third = writes(lock);
        CompletableFuture<Lease> another = reads(lock);
        sent.clear();
        first.release();
        assertThat(reader).as("the second writer was first").isNotDone();
        granted(second).release();
        long token = granted(reader).fencingToken();
        assertThat(token).isEqualTo(first.fencingToken() + 2);
        assertThat(granted(another).fencingToken()).isEqualTo(token + 1);
        assertThat(granted(reads(lock)).fencingToken()).as("came later").isEqualTo(token + 2);
        assertThat(heldAtServer()).containsExactly(Share.WRITE.permits());
        assertThat(third).isNotDone();
        granted(reader).release();
        granted(another).release();
        assertThat(third).as("a third reader reads").isNotDone();
        assertThat(sent).isEmpty();
    }

    @Test
    void theLastReaderPassesTheHoldOnToAWriter() {
        Lease first = granted(writes(lock));
        CompletableFuture<Lease> reader = reads(lock);
        CompletableFuture<Lease> second = writes(lock);
        sent.clear();
        first.release();
        granted(reader).release();
        assertThat(granted(second).fencingToken()).isEqualTo(first.fencingToken() + 2);
        assertThat(sent).isEmpty();
        second.join().release();
        assertThat(sent).hasSize(1);
        assertThat(heldAtServer()).isEmpty();
    }

    @Test
    void aTurnThatLastsLongerThanASliceLetsOthersRead() {
        Lease writer = granted(writes(lock));
        CompletableFuture<Lease> reader = reads(lock);
        writer.release();
        assertThat(isReadable()).isFalse();
        pass(1);
        assertThat(heldAtServer()).containsExactly(Share.READ.permits());
        assertThat(isReadable()).isTrue();
        assertThat(granted(reader).isValid()).isTrue();
        granted(reader).release();
        assertThat(heldAtServer()).isEmpty();
    }

    @Test
    void aWriterWaitsAtTheServerForReadersWhoseTurnHasEnded() {
        Lease writer = granted(writes(lock));
        CompletableFuture<Lease> reader = reads(lock);
        writer.release();
        pass(1);
        CompletableFuture<Lease> next = writes(lock);
        assertThat(lookAtIt().queue()).hasSize(1);
        assertThat(isReadable()).as("the writer is first").isFalse();
        granted(reader).release();
        assertThat(granted(next).fencingToken()).isGreaterThan(granted(reader).fencingToken());
    }

    @Test
    void aReaderWaitsForASliceAtMostBeforeItAsksTheServer() {
        Lease writer = granted(writes(lock));
        CompletableFuture<Lease> reader = reads(lock);
        assertThat(lookAtIt().queue()).isEmpty();
        pass(1);
        assertThat(lookAtIt().queue()).hasSize(1);
        assertThat(reads(lock)).as("comes after the slice").isNotDone();
        writer.release();
        assertThat(granted(reader).isValid()).isTrue();
        assertThat(heldAtServer()).containsExactly(Share.READ.permits());
    }

    @Test
    void aReaderThatCannotJoinEndsTheTurn() {
        for (LockOptions options : List.of(TWENTY, FIFO, TEN.withMaxHold(TEN.lease()))) {
            Lease writer = granted(writes(lock));
            CompletableFuture<Lease> reader = reads(lock);
            writer.release();
            Lease another = granted(reads(lock(options)));
            assertThat(heldAtServer()).as("%s", options).containsExactly(1, 1);
            granted(reader).release();
            another.release();
        }
    }

    @Test
    void aTryJoinsReadersWhoHaveATurn() {
        Lease writer = granted(writes(lock));
        CompletableFuture<Lease> reader = reads(lock);
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
            Lease writer = granted(writes(lock(options)));
            CompletableFuture<Lease> reader = reads(lock);
            assertThat(lookAtIt().queue()).as("%s", options).hasSize(1);
            pass(1_000);
            writer.release();
            granted(reader).release();
        }
    }

    @Test
    void readersWithOtherOptionsHaveNoTurn() {
        Lease writer = granted(writes(lock));
        CompletableFuture<Lease> reader = reads(lock(TWENTY));
        assertThat(lookAtIt().queue()).hasSize(1);
        writer.release();
        assertThat(granted(reader).isValid()).isTrue();
        assertThat(heldAtServer()).containsExactly(Share.READ.permits());
    }

    @Test
    void aReaderWhoseTurnComesTooLateLeavesTheMachineToWriters() {
        Lease writer = granted(writes(lock));
        CompletableFuture<Lease> reader = reads(lock);
        stall(2); // the timer is late
        sent.clear();
        writer.release();
        assertThat(granted(reader).isValid()).isTrue();
        assertThat(sent).as("the release, and the reader's own request").hasSize(2);
        assertThat(writes(lock)).isNotDone();
        assertThat(lookAtIt().queue()).as("the next writer is there").hasSize(1);
    }

    @Test
    void aTryEndsATurnThatItCannotJoin() {
        Lease writer = granted(writes(lock));
        CompletableFuture<Lease> reader = reads(lock);
        writer.release();
        granted(reader).extend(TWENTY.lease());
        assertThat(lock.readLock().tryLock()).isTrue();
        assertThat(heldAtServer()).containsExactly(1, 1);
        lock.readLock().unlock();
    }

    @Test
    void readersAskTheServerWhenTheWriterHasLostTheLock() {
        Lease writer = granted(writes(lock));
        CompletableFuture<Lease> reader = reads(lock);
        client.server.execute(new Command.ForceRelease("lock", 0, LockKind.READ_WRITE));
        assertThat(writer.isValid()).isFalse();
        assertThat(granted(reader).isValid()).isTrue();
        assertThat(heldAtServer()).containsExactly(Share.READ.permits());
    }

    @Test
    void readersWithATurnLoseTheLockTogether() {
        Lease writer = granted(writes(lock));
        List<CompletableFuture<Lease>> readers = List.of(reads(lock), reads(lock));
        writer.release();
        client.server.execute(new Command.ForceRelease("lock", 0, LockKind.READ_WRITE));
        assertThat(readers).noneMatch(reader -> granted(reader).isValid());
    }

    @Test
    void readersAskTheServerWhenTheWriterGoesOnAsAReader() {
        lock.writeLock().lock();
        CompletableFuture<Lease> reader = reads(lock);
        lock.readLock().lock();
        lock.writeLock().unlock();
        assertThat(granted(reader).isValid()).isTrue();
        assertThat(heldAtServer()).containsExactly(1, 1);
        lock.readLock().unlock();
    }

    @Test
    void aReaderThatGivesUpHasNoTurn() {
        Lease writer = granted(writes(lock));
        CompletableFuture<Lease> reader = reads(lock);
        reader.cancel(false);
        writer.release();
        assertThat(heldAtServer()).isEmpty();
    }

    @Test
    void readersThatWaitForATurnLearnThatTheClientIsClosed() {
        granted(writes(lock));
        CompletableFuture<Lease> reader = reads(lock);
        client.engine.close();
        assertThatThrownBy(reader::join).hasCauseInstanceOf(ClientClosedException.class);
    }
}
