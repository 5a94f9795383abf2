// SPDX-License-Identifier: Apache-2.0
package io.boltwork.memory;

import static io.boltwork.memory.ShareScene.ALL;
import static io.boltwork.memory.ShareScene.CLAIM;
import static io.boltwork.memory.ShareScene.LEASE;
import static io.boltwork.memory.ShareScene.NEVER;
import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.LockKind;
import io.boltwork.memory.ShareScene.Part;
import io.boltwork.spi.HoldTaken;
import io.boltwork.spi.IdleLife;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.Reply.Forced;
import io.boltwork.spi.Reply.Release;
import io.boltwork.spi.Reply.Renewal;
import io.boltwork.spi.Reply.Verdict;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The rules of forced releases of shared locks. Each test is the trace that goes wrong without its rule. */
class ShareForceRulesTest {

    @Test
    void allHoldersAreToldAndStayOut() {
        ShareScene scene = ShareScene.semaphore(3, "a", "b");
        Part a = scene.hold("a:1", 1);
        Part b = scene.hold("b:1", 2);
        assertThat(scene.force(0)).isEqualTo(new Forced(scene.server.time(), true, 0, null, null, 0, b.blockEnd() + 1));
        assertThat(scene.taken)
                .containsExactlyInAnyOrder(
                        new HoldTaken(ShareScene.LOCK, "a:1", a.token(), scene.server.time(), LockKind.SEMAPHORE),
                        new HoldTaken(ShareScene.LOCK, "b:1", b.token(), scene.server.time(), LockKind.SEMAPHORE));
        assertThat(scene.holders()).isEmpty();
        assertThat(scene.inspect().fence()).isEqualTo(b.blockEnd() + 1);
        for (Part part : new Part[] {a, b}) {
            assertThat(scene.renew(part)).isEqualTo(Renewal.LOST);
            assertThat(scene.restore(part)).isEqualTo(Renewal.LOST);
            assertThat(scene.release(part).outcome()).isEqualTo(Release.NOT_HELD);
        }
        assertThat(scene.hold("c:1", 3).token()).isGreaterThan(b.blockEnd() + 1);
    }

    @Test
    void theWaitingAreServed() {
        ShareScene scene = ShareScene.semaphore(3, "b", "c");
        Part a = scene.hold("a:1", 3);
        scene.queue(2, "b:1", "c:1");
        assertThat(scene.force(a.token() + 5)).isEqualTo(new Forced(scene.server.time(), true, CLAIM, null, null, 0));
        assertThat(scene.granted(2).token()).isEqualTo(a.blockEnd() + 2);
        assertThat(scene.waiting()).containsExactly("c:1");
    }

    @Test
    void anyTokenOfItsBlockIdentifiesAHold() {
        for (long used : new long[] {0, 1, ShareScene.BLOCK - 1}) {
            ShareScene scene = ShareScene.semaphore(3, "a", "b");
            Part b = scene.hold("b:1", 1);
            scene.pass(1);
            Part a = scene.hold("a:1", 1);
            scene.pass(1);
            Part c = scene.hold("c:1", 1);
            assertThat(scene.force(a.token() + used).released()).isTrue();
            assertThat(scene.taken).extracting(HoldTaken::request).containsExactly("a:1");
            assertThat(scene.holders()).containsExactlyInAnyOrder("b:1", "c:1");
            assertThat(scene.renew(b)).isEqualTo(Renewal.OK);
            assertThat(scene.renew(c)).isEqualTo(Renewal.OK);
        }
    }

    @Test
    void anotherHoldIsNotTouched() {
        ShareScene scene = ShareScene.semaphore(2, "a", "b");
        Part a = scene.hold("a:1", 1);
        scene.queue(2, "b:1");
        for (long other : new long[] {1, a.token() - 1, a.blockEnd() + 1}) {
            assertThat(scene.force(other)).isEqualTo(new Forced(scene.server.time(), false, 0, null, null, 0));
        }
        assertThat(scene.inspect().fence()).isEqualTo(a.blockEnd());
        assertThat(scene.waiting()).containsExactly("b:1");
        assertThat(scene.taken).isEmpty();
        assertThat(scene.renew(a)).isEqualTo(Renewal.OK);
    }

    @Test
    void aPartTakenFromOneHolderIsNotRestored() {
        ShareScene scene = ShareScene.semaphore(3);
        Part other = scene.hold("b:1", 1);
        Part part = scene.hold("a:1", 1);
        scene.force(part.token());
        assertThat(scene.renew(part)).isEqualTo(Renewal.LOST);
        assertThat(scene.restore(part)).isEqualTo(Renewal.LOST);
        assertThat(scene.release(part).outcome()).isEqualTo(Release.NOT_HELD);
        scene.server.flush();
        assertThat(scene.restore(other)).as("the others may be").isEqualTo(Renewal.OK);
    }

    @Test
    void othersAreStillForgottenAndNotLost() {
        ShareScene scene = ShareScene.semaphore(3);
        Part other = scene.hold("b:1", 1);
        Part part = scene.hold("a:1", 1);
        scene.withdraw("b:1"); // as if a failover had lost it
        scene.force(part.token());
        assertThat(scene.renew(other)).isEqualTo(Renewal.FORGOTTEN);
    }

    @Test
    void aRenewalThatAFailoverLostIsCovered() {
        ShareScene scene = ShareScene.semaphore(2);
        Part part = scene.hold(scene.wish("a:1", 1, LEASE, 700));
        scene.hold(scene.wish("b:1", 1, LEASE + 701, 0));
        scene.force(part.token());
        scene.pass(2 * LEASE + 699); // the lost renewal was sent at the end of the lease
        scene.acquire("c:1", 1); // removes what has ended
        assertThat(scene.restore(part)).isEqualTo(Renewal.LOST);
        scene.pass(LEASE);
        scene.nudge();
        assertThat(scene.restore(part)).as("a tombstone ends").isEqualTo(Renewal.OK);
    }

    @Test
    void theLongestLeaseCountsForTheTombstone() {
        ShareScene scene = ShareScene.semaphore(3);
        Part part = scene.hold("a:1", 1);
        scene.renewed(part, 3 * LEASE, 0, NEVER);
        scene.renew(part);
        scene.force(part.token());
        scene.hold(scene.wish("b:1", 1, 6 * LEASE - 1, 0));
        scene.pass(6 * LEASE - 1);
        scene.nudge();
        assertThat(scene.restore(part)).isEqualTo(Renewal.LOST);
    }

    @Test
    void aClaimHasTheTombstoneOfTheWholeLease() {
        ShareScene scene = ShareScene.semaphore(2, "a");
        Part before = scene.hold("b:0", 2);
        scene.queue(1, "a:1");
        scene.release(before);
        Part part = scene.granted(1);
        scene.force(part.token());
        scene.hold(scene.wish("b:1", 1, CLAIM + LEASE - 1, 0));
        scene.pass(CLAIM + LEASE - 1);
        scene.nudge();
        assertThat(scene.restore(part)).isEqualTo(Renewal.LOST);
    }

    @Test
    void aRestoredHoldHasATombstoneOfItsLease() {
        ShareScene scene = ShareScene.semaphore(2);
        Part part = scene.hold("a:1", 1);
        scene.server.flush();
        scene.restore(part);
        scene.force(part.token());
        scene.hold(scene.wish("b:1", 1, 2 * LEASE - 1, 0));
        scene.pass(2 * LEASE - 1);
        scene.nudge();
        assertThat(scene.restore(part)).isEqualTo(Renewal.LOST);
    }

    @Test
    void keptPartsAreOpenedUnlessATokenIsGiven() {
        ShareScene scene = ShareScene.semaphore(2, "a", "b");
        Part a = scene.hold("a:1", 2);
        scene.queue(1, "b:1");
        scene.release(a, a.token(), 500, 0, null);
        assertThat(scene.force(a.token()).released()).isFalse();
        assertThat(scene.told()).isEmpty();
        assertThat(scene.force(0).released()).isTrue();
        assertThat(scene.taken).isEmpty();
        assertThat(scene.told()).containsExactly("b:1");
        assertThat(scene.inspect().keptUntilMillis()).isZero();
    }

    @Test
    void holdsThatHaveEndedDoNotCount() {
        ShareScene scene = ShareScene.semaphore(2, "a");
        Part a = scene.hold("a:1", 1);
        scene.pass(LEASE);
        assertThat(scene.force(a.token()).released()).isFalse();
        assertThat(scene.inspect().fence()).isEqualTo(a.blockEnd());
        Part b = scene.hold("a:2", 1);
        scene.pass(LEASE);
        assertThat(scene.force(0).released()).isFalse();
        assertThat(scene.taken).isEmpty();
        assertThat(scene.inspect().fence()).isGreaterThan(b.blockEnd());
        assertThat(scene.renew(b)).isEqualTo(Renewal.LOST);
    }

    @Test
    void aLapsedClaimRemovesTheRequestsOfItsClient() {
        for (long token : new long[] {0, 5}) {
            ShareScene scene = ShareScene.semaphore(1, "b", "c");
            Part a = scene.hold("a:1", 1);
            scene.queue(1, "b:1", "b:2", "c:1");
            scene.release(a);
            scene.pass(CLAIM);
            assertThat(scene.force(token).released()).isFalse();
            assertThat(scene.told()).containsExactly("b:1", "c:1");
            assertThat(scene.waiting()).isEmpty();
        }
    }

    @Test
    void noEndedHoldComesBackHoweverManyThereAre() {
        ShareScene scene = ShareScene.readWrite();
        List<Part> parts = new ArrayList<>();
        for (int i = 0; i <= LockBackend.PLACES_PER_STEP; i++) {
            parts.add(scene.hold("a:" + i, 1));
        }
        scene.pass(LEASE);
        assertThat(scene.force(0).released()).isFalse();
        assertThat(parts).allSatisfy(part -> assertThat(scene.renew(part)).isEqualTo(Renewal.LOST));
        assertThat(scene.acquire("b:1", ALL).verdict()).isEqualTo(Verdict.GRANTED);
    }

    @Test
    void forgottenHoldersDoNotComeBackEither() {
        ShareScene scene = ShareScene.semaphore(3);
        Part a = scene.hold("a:1", 1);
        Part b = scene.hold("b:1", 2);
        scene.server.flush();
        scene.pass(2);
        assertThat(scene.force(a.token()).released()).isFalse();
        assertThat(scene.inspect().fence()).as("nothing was changed").isZero();
        assertThat(scene.force(0).released()).isFalse();
        assertThat(scene.restore(a)).isEqualTo(Renewal.LOST);
        assertThat(scene.restore(b)).isEqualTo(Renewal.LOST);
        assertThat(scene.hold("c:1", 1).token()).isGreaterThan(b.blockEnd());
    }

    @Test
    void theFencesOutliveALeaseUnknownToTheServer() {
        ShareScene scene = ShareScene.semaphore(2);
        Part a = scene.hold("a:1", 1);
        scene.server.flush();
        scene.force(0);
        scene.pass(Duration.ofDays(1).toMillis());
        assertThat(scene.restore(a)).isEqualTo(Renewal.LOST);
    }

    @Test
    void aTombstoneOutlivesTheIdleLife() {
        ShareScene scene = ShareScene.semaphore(2);
        long week = Duration.ofDays(7).toMillis();
        Part a = scene.hold(scene.wish("a:1", 1, week, 0));
        scene.force(a.token());
        scene.pass(2 * week);
        assertThat(scene.restore(a)).isEqualTo(Renewal.LOST);
    }

    @Test
    void aForcedReleaseOfNothingKeepsNothingLonger() {
        ShareScene scene = ShareScene.semaphore(2);
        Part a = scene.hold("a:1", 1);
        scene.release(a);
        scene.force(a.token());
        scene.pass(LEASE + IdleLife.DEFAULT.toMillis() + 1);
        assertThat(scene.inspect().fence()).isZero();
    }
}
