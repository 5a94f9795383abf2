package io.boltwork.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.Lease;
import io.boltwork.LockKind;
import io.boltwork.LockListener;
import io.boltwork.LockOptions;
import io.boltwork.spi.Command;
import io.boltwork.spi.HeldShare;
import io.boltwork.spi.Look;
import io.boltwork.spi.Report;
import io.boltwork.spi.Share;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** How the readers and writers of one client share its requests, step by step: what it sends, and when. */
class ReadWriteRulesTest extends EngineScene {

    private static final long LONG = 600_000;

    private final EngineReadWriteLock lock = new EngineReadWriteLock(client.engine, "l", TEN);

    private CompletableFuture<Lease> reads(LockOptions options) {
        return lock.withOptions(options).readLock().acquireAsync().toCompletableFuture();
    }

    private CompletableFuture<Lease> writes() {
        return lock.writeLock().acquireAsync().toCompletableFuture();
    }

    /** Writes as a client that is not here. */
    private void writeElsewhere(String request) {
        client.server.execute(new Command.Acquire("l", request, true, LONG, 0, Long.MAX_VALUE, Share.WRITE));
    }

    private void endElsewhere(String request) {
        client.server.execute(new Command.Withdraw("l", request, 0, new HeldShare(Share.WRITE, 0, 0)));
    }

    private Report.Inspected record() {
        return client.server.execute(new Look.Inspect("l", LockKind.READ_WRITE));
    }

    private int queued() {
        return record().queue().size();
    }

    private boolean hasPool() {
        return client.engine.drivers.pools.find(LockKind.READ_WRITE, "l") != null;
    }

    // ---- readers that share a hold

    @Test
    void aReaderThatJoinsSendsNothingAndIsToldOf() {
        List<String> events = listen();
        Lease first = granted(reads(TEN));
        forget();
        Lease second = granted(reads(TEN));
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
        granted(reads(TEN));
        granted(reads(TWENTY));
        granted(reads(TEN));
        granted(reads(FIFO));
        assertThat(asked()).as("one for each of the options").hasSize(3);
        assertThat(record().holders()).hasSize(3);
    }

    @Test
    void aTryOfAReaderWaitsForNothing() {
        writeElsewhere("other:1");
        CompletableFuture<Lease> waits = reads(TEN);
        long begin = now();
        assertThat(lock.readLock().tryLock()).isFalse();
        assertThat(now()).isEqualTo(begin);
        assertThat(queued()).isEqualTo(1);
        pass(10); // otherwise the hold would have no tokens for others
        endElsewhere("other:1");
        assertThat(granted(waits).isValid()).isTrue();
        assertThat(granted(reads(TEN)).isValid()).isTrue();
        assertThat(record().holders()).hasSize(1);
    }

    @Test
    void laterReadersAreJoinedInTurn() {
        Lease first = granted(reads(TEN));
        pass(1_000); // longer than a slice
        Lease second = granted(reads(TEN));
        Lease third = granted(reads(TEN));
        assertThat(asked()).hasSize(2);
        assertThat(third.fencingToken()).isEqualTo(second.fencingToken() + 1);
        assertThat(record().holders()).hasSize(2);
        first.release();
        assertThat(record().holders()).hasSize(1);
    }

    @Test
    void aReaderThatGivesUpLeavesTheOthersAlone() {
        writeElsewhere("other:1");
        CompletableFuture<Lease> first = reads(TEN);
        CompletableFuture<Lease> second = reads(TEN);
        first.cancel(true);
        assertThat(queued()).isEqualTo(1);
        endElsewhere("other:1");
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

    // ---- what the server has forgotten

    @Test
    void allRequestsAskAgainOnceTheServerHasForgottenOne() {
        writeElsewhere("other:1");
        reads(TEN);
        reads(FIFO);
        writes();
        assertThat(queued()).isEqualTo(3);
        client.server.flush();
        writeElsewhere("other:2");
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
        writeElsewhere("other:1");
        CompletableFuture<Lease> reader = reads(TEN);
        CompletableFuture<Lease> alone = reads(FIFO);
        reads(TEN).cancel(true);
        endElsewhere("other:1");
        granted(reader).release();
        granted(alone).release();
        lock.writeLock().lock();
        lock.readLock().lock();
        lock.writeLock().unlock();
        assertThat(hasPool()).isTrue();
        lock.readLock().unlock();
        pass(60_000);
        assertThat(client.engine.drivers.count()).isZero();
        assertThat(hasPool()).isFalse();
        assertThat(lock.readLock().isHeldByCurrentThread()).isFalse();
    }

    @Test
    void manyReadersNeedFewMachines() {
        for (int i = 0; i < 50; i++) {
            Lease first = granted(reads(FIFO));
            granted(reads(FIFO)).release();
            first.release();
            pass(1);
        }
        assertThat(client.engine.drivers.count()).isEqualTo(2);
    }
}
