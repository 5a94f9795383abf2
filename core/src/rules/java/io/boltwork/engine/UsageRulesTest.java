// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.Lease;
import io.boltwork.LeaseLostException;
import io.boltwork.LockKind;
import io.boltwork.engine.drive.UseReports;
import io.boltwork.spi.Announce;
import io.boltwork.spi.Command;
import io.boltwork.spi.LockUsage;
import io.boltwork.spi.Query;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Tests of the rules by which a client counts and announces the use of its locks. */
class UsageRulesTest extends EngineScene {

    /** The time within which everything is announced: two heartbeats and a half. */
    private static final long ANNOUNCED = 2_500;

    private List<LockUsage> announced() {
        return client.server
                .execute(new Query.Identify(List.of("c")))
                .clients()
                .get(0)
                .busiest();
    }

    /** Returns what was announced about the only lock. */
    private LockUsage usage() {
        assertThat(announced()).hasSize(1);
        return announced().get(0);
    }

    private void turn(long millis) {
        Lease lease = acquire(TEN);
        pass(millis);
        lease.release();
    }

    @Test
    void turnsAndHoldsAreAnnounced() {
        turn(100);
        turn(50);
        turn(150);
        pass(ANNOUNCED);
        assertThat(usage()).isEqualTo(new LockUsage(LockKind.LOCK, "lock", 3, 0, 0, 300_000));
    }

    @Test
    void turnsThatAreHandedOverInMemoryCount() {
        Lease first = acquire(TEN);
        CompletableFuture<Lease> second = wish(TEN);
        CompletableFuture<Lease> third = wish(TEN);
        first.release();
        granted(second).release();
        granted(third).release();
        assertThat(sent(Command.Release.class)).hasSize(1);
        pass(ANNOUNCED);
        assertThat(usage().turns()).isEqualTo(3);
    }

    @Test
    void aWaitForAnotherClientIsAnnounced() {
        holdElsewhere(60_000);
        CompletableFuture<Lease> wish = wish(TEN);
        pass(3_000);
        assertThat(usage()).isEqualTo(new LockUsage(LockKind.LOCK, "lock", 0, 1, 0, 0));
        freeElsewhere();
        granted(wish).release();
        pass(ANNOUNCED);
        assertThat(usage()).isEqualTo(new LockUsage(LockKind.LOCK, "lock", 1, 0, 3_000_000, 0));
    }

    @Test
    void aWaitThatEndsWithoutTheLockCounts() {
        holdElsewhere(60_000);
        CompletableFuture<Lease> wish = wish(TEN);
        pass(1_000);
        wish.cancel(true);
        pass(ANNOUNCED);
        assertThat(usage().turns()).isZero();
        assertThat(usage().waiting()).isZero();
        assertThat(usage().waitedMicros()).isEqualTo(1_000_000);
    }

    @Test
    void theFirstWaitCountsWhenTheTurnHasEnded() {
        client.delay = 5 * MILLI;
        acquire(TEN).release();
        pass(ANNOUNCED);
        assertThat(usage().waitedMicros()).isEqualTo(5_000);
    }

    @Test
    void aHoldIsCountedWhileOthersWaitForItsEnd() {
        Lease first = acquire(TEN);
        CompletableFuture<Lease> second = wish(TEN);
        pass(10_000);
        assertThat(usage().heldMicros()).isBetween(7_000_000L, 10_000_000L);
        assertThat(usage().waiting()).isEqualTo(1);
        assertThat(usage().turns()).isZero();
        first.release();
        pass(1);
        granted(second).release();
        pass(ANNOUNCED);
        assertThat(usage().turns()).isEqualTo(2);
        assertThat(usage().heldMicros()).isBetween(10_000_000L, 10_001_000L);
        assertThat(usage().waitedMicros()).isBetween(10_000_000L, 10_001_000L);
    }

    @Test
    void aLockThatIsOnlyHeldIsNotCounted() {
        Lease lease = acquire(TEN);
        pass(30_000);
        assertThat(machine().use()).isNull();
        assertThat(announced()).isEmpty();
        assertThat(lease.isValid()).isTrue();
    }

    @Test
    void aLostHoldIsATurnWhenItsOwnerHasLeft() {
        Lease lease = acquire(FIXED);
        pass(11_000);
        assertThat(lease.isValid()).isFalse();
        assertThatThrownBy(lease::close).isInstanceOf(LeaseLostException.class);
        pass(ANNOUNCED);
        assertThat(usage().turns()).isEqualTo(1);
    }

    @Test
    void aRetiredLockReportsWhatIsLeft() {
        pass(950);
        turn(10); // reported at once
        turn(10); // the next heartbeat does not know the name yet, and the driver has retired before the one after that
        pass(1_030);
        assertThat(client.engine.drivers.count()).isZero();
        pass(ANNOUNCED);
        assertThat(usage().turns()).isEqualTo(2);
        turn(10);
        pass(ANNOUNCED);
        assertThat(usage().turns()).as("goes on from there").isEqualTo(3);
    }

    @Test
    void aReportThatIsRefusedIsMadeAgain() {
        pass(500);
        for (int i = 0; i < UseReports.MOST; i++) {
            assertThat(client.engine.drivers.useReports.add(LockKind.LOCK, "once", 0, 0, 0))
                    .isTrue();
        }
        turn(10);
        turn(10);
        pass(ANNOUNCED);
        assertThat(announced()).extracting(LockUsage::lock).contains("lock");
        assertThat(announced().get(0).turns()).isEqualTo(2);
    }

    @Test
    void aClientThatUsesLocksAnnouncesItselfEveryTwoSeconds() {
        pass(2_000);
        forget();
        for (int i = 0; i < 20; i++) {
            pass(990);
            turn(5);
            turn(5); // none is held when the heartbeat looks
        }
        assertThat(sent(Announce.class)).hasSizeBetween(9, 11);
        assertThat(usage().turns()).isBetween(35L, 40L);
    }

    @Test
    void aClientThatNoLongerUsesLocksAnnouncesItselfSeldom() {
        turn(5);
        pass(4_000);
        forget();
        pass(60_000);
        assertThat(sent(Announce.class)).hasSize(3);
        assertThat(usage().turns()).isEqualTo(1);
    }
}
