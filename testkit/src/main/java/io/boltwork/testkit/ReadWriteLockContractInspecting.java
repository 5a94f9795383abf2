package io.boltwork.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.FencedReadWriteLock;
import io.boltwork.Lease;
import io.boltwork.LockInfo;
import io.boltwork.LockInfo.Access;
import io.boltwork.LockKind;
import io.boltwork.LockSummary.State;
import org.junit.jupiter.api.Test;

/** The inspection of read-write locks, and their forced release. */
abstract class ReadWriteLockContractInspecting extends ReadWriteContractPart {

    ReadWriteLockContractInspecting(LockSite site) {
        super(site);
    }

    private LockInfo described() {
        return party().client().inspector().describe(LockKind.READ_WRITE, name);
    }

    // ================================================================ looking

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
        FencedReadWriteLock lock = both();
        Lease first = lock.readLock().acquire();
        Holder second = hold(lock.readLock());
        assertThat(described().holders())
                .singleElement()
                .satisfies(holder -> assertThat(holder.fencingToken()).isEqualTo(first.fencingToken()));
        first.release();
        second.release();
    }
}
