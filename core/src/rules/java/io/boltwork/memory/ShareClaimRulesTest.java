// SPDX-License-Identifier: Apache-2.0
package io.boltwork.memory;

import static io.boltwork.memory.ShareScene.ALL;
import static io.boltwork.memory.ShareScene.CLAIM;
import static io.boltwork.memory.ShareScene.LEASE;
import static io.boltwork.memory.ShareScene.NEVER;
import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.memory.ShareScene.Part;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.QueryReply.Inspected.Waiting;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Reply.Acquired;
import io.boltwork.spi.Reply.Release;
import io.boltwork.spi.Reply.Renewal;
import io.boltwork.spi.Reply.Verdict;
import org.junit.jupiter.api.Test;

/**
 * The rules of claims on shared locks, and of the work that one command does. Each test is the trace that goes wrong
 * without its rule.
 */
class ShareClaimRulesTest {
    private static final long SHORT = LockBackend.SHORT_CLAIM_MILLIS;
    private static final int PLACES = LockBackend.PLACES_PER_STEP;
    private static final int GRANTS = LockBackend.GRANTS_PER_STEP;

    // ================================================================ nudges

    @Test
    void theEndOfTheLastClaimIsToldByAnyCommand() {
        ShareScene scene = ShareScene.semaphore(2, "b", "c", "d");
        Part first = scene.hold("a:1", 1);
        Part second = scene.hold("a:2", 1);
        scene.queue(1, "b:1", "c:1");
        scene.queue(2, "d:1");
        assertThat(scene.release(first).claimMillis()).isEqualTo(CLAIM);
        scene.pass(1_000);
        assertThat(scene.release(second).claimMillis()).isEqualTo(CLAIM);
        scene.pass(500);
        assertThat(scene.nudge().claimMillis()).isEqualTo(CLAIM - 500);
        assertThat(scene.withdraw("c:1").claimMillis()).as("an upper bound").isEqualTo(CLAIM - 500);
        assertThat(scene.resize(2).claimMillis()).isEqualTo(CLAIM - 500);
        assertThat(scene.force(5).claimMillis()).isEqualTo(CLAIM - 500);
        assertThat(scene.withdraw("d:1").claimMillis()).as("no request waits").isZero();
    }

    @Test
    void aClaimGrantedByAnAskIsToldToTheNextCommand() {
        ShareScene scene = ShareScene.semaphore(1, "b", "c", "d");
        scene.hold("a:1", 1);
        scene.queue(1, "b:1", "c:1", "d:1");
        scene.pass(LEASE);
        scene.acquire("d:1", 1); // b:1 has a claim now
        assertThat(scene.withdraw("d:1").claimMillis()).isEqualTo(CLAIM);
        scene.renew(scene.granted(1));
        scene.pass(CLAIM + 1);
        assertThat(scene.nudge().claimMillis()).as("all claims have ended").isZero();
    }

    @Test
    void aShorterClaimDoesNotHideALongerOne() {
        ShareScene scene = ShareScene.semaphore(2, "b", "c", "d");
        Part first = scene.hold("a:1", 1);
        Part second = scene.hold("a:2", 1);
        scene.ask(scene.wish("b:1", 1, LEASE, 4_000));
        scene.ask(scene.wish("c:1", 1, 700, 0));
        scene.queue(1, "d:1");
        scene.release(first);
        assertThat(scene.release(second).claimMillis()).isEqualTo(CLAIM + 4_000);
        assertThat(scene.messages).extracting(grant -> grant.leaseMillis()).containsExactly(CLAIM, 700L);
    }

    // ================================================================ claims

    @Test
    void aClaimIsConfirmedByRenewingRestoringOrAsking() {
        for (String how : new String[] {"renew", "verify", "restore", "acquire"}) {
            ShareScene scene = ShareScene.semaphore(2, "b");
            Part part = scene.hold("a:1", 2);
            scene.queue(1, "b:1");
            scene.release(part);
            Part claim = scene.granted(1);
            assertThat(scene.holder("b:1").claim()).isTrue();
            assertThat(scene.holder("b:1").untilMillis()).isEqualTo(scene.now() + CLAIM);
            switch (how) {
                case "renew" -> scene.renew(claim);
                case "verify" -> scene.renewed(claim, 0, 0, NEVER);
                case "restore" -> scene.restore(claim);
                default -> assertThat(scene.acquire("b:1", 1).token()).isEqualTo(claim.token());
            }
            assertThat(scene.holder("b:1").claim()).as(how).isFalse();
            assertThat(scene.holder("b:1").untilMillis())
                    .isEqualTo(scene.now() + (how.equals("verify") ? CLAIM : LEASE));
        }
    }

    @Test
    void aLapsedClaimRemovesAllEntriesOfItsClientButNoHold() {
        ShareScene scene = ShareScene.semaphore(3, "b", "c");
        scene.hold(scene.wish("b:0", 1, 3 * LEASE, 0));
        Part part = scene.hold("a:1", 2);
        scene.queue(2, "b:1", "b:2", "c:1", "b:3");
        scene.release(part);
        scene.pass(CLAIM);
        scene.nudge();
        assertThat(scene.told()).containsExactly("b:1", "c:1");
        assertThat(scene.holders()).containsExactlyInAnyOrder("b:0", "c:1");
        assertThat(scene.waiting()).isEmpty();
        assertThat(scene.withdraw("b:2").known()).isFalse();
    }

    @Test
    void twoLapsedClaimsOfAClientRemoveItsEntriesOnce() {
        ShareScene scene = ShareScene.semaphore(2, "b", "c");
        Part part = scene.hold("a:1", 2);
        scene.queue(1, "b:1", "b:2");
        scene.queue(2, "b:3", "c:1");
        scene.release(part);
        scene.pass(CLAIM);
        scene.nudge();
        assertThat(scene.told()).containsExactly("b:1", "b:2", "c:1");
        scene.queue(2, "b:3");
        assertThat(scene.waiting()).containsExactly("b:3");
        assertThat(scene.acquire("b:3", 2).known()).isTrue();
    }

    @Test
    void aLaterLapseCountsForLaterEntries() {
        ShareScene scene = ShareScene.semaphore(3, "b", "c");
        scene.hold(scene.wish("d:1", 1, 3 * LEASE, 0));
        Part part = scene.hold("a:1", 2);
        scene.queue(1, "b:1");
        scene.ask(scene.wish("b:2", 1, LEASE, 500));
        scene.queue(3, "c:1");
        scene.release(part);
        scene.pass(CLAIM);
        scene.nudge();
        scene.queue(1, "b:3");
        scene.pass(500);
        scene.nudge();
        assertThat(scene.told()).containsExactly("b:1", "b:2");
        scene.withdraw("c:1");
        assertThat(scene.told()).isEmpty();
        assertThat(scene.acquire("b:3", 1).known()).isFalse();
    }

    @Test
    void aLapsedConfirmedLeaseRemovesNoEntries() {
        ShareScene scene = ShareScene.semaphore(1, "b", "c");
        Part part = scene.hold("a:1", 1);
        scene.queue(1, "b:1", "b:2", "c:1");
        scene.release(part);
        scene.renew(scene.granted(1));
        scene.pass(LEASE);
        scene.nudge();
        assertThat(scene.told()).containsExactly("b:2");
        assertThat(scene.waiting()).containsExactly("c:1");
    }

    @Test
    void theClaimOfARequestThatIsHeardOfRemovesNoEntries() {
        for (String how : new String[] {"acquire", "renew", "restore", "release", "withdraw"}) {
            ShareScene scene = ShareScene.semaphore(1, "b", "c");
            Part part = scene.hold("a:1", 1);
            scene.queue(1, "b:1", "b:2", "c:1");
            scene.release(part);
            Part claim = scene.granted(1);
            scene.pass(CLAIM);
            switch (how) {
                case "acquire" -> assertThat(scene.acquire("b:1", 1).verdict()).isEqualTo(Verdict.QUEUED);
                case "renew" -> assertThat(scene.renew(claim)).isEqualTo(Renewal.OK);
                case "restore" -> assertThat(scene.restore(claim)).isEqualTo(Renewal.OK);
                case "release" -> assertThat(scene.release(claim).outcome()).isEqualTo(Release.RELEASED);
                default -> assertThat(scene.withdraw("b:1").known()).isTrue();
            }
            assertThat(scene.acquire("b:2", 1).known()).as(how).isTrue();
        }
    }

    @Test
    void aClaimLapsedBeforeARestoreRemovesTheEntriesOfItsClient() {
        ShareScene scene = ShareScene.semaphore(2, "b", "c");
        Part forgotten = scene.hold("d:1", 1);
        scene.server.flush();
        Part part = scene.hold("a:1", 1);
        scene.hold(scene.wish("a:2", 1, 3 * LEASE, 0));
        scene.queue(1, "b:1", "b:2");
        scene.queue(2, "c:1");
        scene.release(part);
        scene.pass(CLAIM);
        assertThat(scene.restore(forgotten)).isEqualTo(Renewal.OK);
        assertThat(scene.waiting()).containsExactly("c:1");
    }

    @Test
    void anEntryRemovedWithItsClientsClaimIsNotKnown() {
        ShareScene scene = ShareScene.semaphore(1, "b");
        Part part = scene.hold("a:1", 1);
        scene.queue(1, "b:1", "b:2");
        scene.release(part);
        scene.pass(CLAIM);
        Acquired answer = scene.acquire("b:2", 1);
        assertThat(answer.verdict()).isEqualTo(Verdict.GRANTED);
        assertThat(answer.known()).isFalse();
    }

    // ================================================================ short claims

    /** Returns a lock whose first claim has lapsed, so that b:1 has a short one. */
    private static ShareScene afterALapse(int weight, String... others) {
        ShareScene scene = ShareScene.semaphore(4, "b", "c", "f");
        Part part = scene.hold("a:1", 4);
        scene.queue(4, "f:1");
        scene.queue(weight, "b:1");
        scene.queue(weight, others);
        scene.release(part);
        assertThat(scene.messages.remove().leaseMillis()).isEqualTo(CLAIM);
        scene.pass(CLAIM);
        scene.nudge();
        return scene;
    }

    @Test
    void aLapsedShortClaimCostsItsRequestAPlaceOnly() {
        ShareScene scene = afterALapse(3, "c:1", "b:2");
        long entered = scene.now() - CLAIM;
        assertThat(scene.messages.remove().leaseMillis()).isEqualTo(SHORT);
        scene.pass(SHORT);
        scene.nudge();
        assertThat(scene.told()).containsExactly("c:1");
        assertThat(scene.inspect().queue())
                .containsExactly(new Waiting("b:2", 3, entered), new Waiting("b:1", 3, entered));
        scene.pass(SHORT);
        scene.nudge();
        assertThat(scene.told()).containsExactly("b:2");
        scene.pass(SHORT);
        scene.nudge();
        assertThat(scene.told()).as("a second one of b costs all its places").containsExactly("c:1");
        assertThat(scene.waiting()).isEmpty();
    }

    @Test
    void aRequestMovesToTheTailOnlyOnce() {
        ShareScene scene = afterALapse(3, "c:1");
        scene.pass(SHORT);
        scene.nudge();
        scene.told();
        scene.withdraw("c:1");
        assertThat(scene.messages.remove().leaseMillis()).isEqualTo(SHORT);
        scene.pass(SHORT);
        scene.nudge();
        assertThat(scene.holders()).isEmpty();
        assertThat(scene.acquire("b:1", 3).known()).isFalse();
    }

    @Test
    void aConfirmedShortClaimIsAnOrdinaryHold() {
        ShareScene scene = afterALapse(3, "c:1");
        Part part = scene.granted(3);
        scene.renew(part);
        assertThat(scene.holder("b:1").claim()).isFalse();
        scene.pass(LEASE);
        scene.nudge();
        assertThat(scene.told()).containsExactly("c:1");
        assertThat(scene.waiting()).isEmpty();
    }

    @Test
    void claimsAreLongAgainAfterHalfAMinute() {
        ShareScene scene = afterALapse(4, "c:1");
        Part part = scene.granted(4);
        scene.renewed(part, 10 * LEASE, 0, NEVER);
        scene.pass(LockBackend.SHORT_CLAIMS_LAST_MILLIS);
        scene.release(part);
        assertThat(scene.messages.remove().leaseMillis()).isEqualTo(CLAIM);
    }

    @Test
    void aFailoverKeepsThatAClaimIsShort() {
        ShareScene scene = afterALapse(3, "c:1", "b:2");
        scene.messages.clear();
        scene.server.failOver(scene.server.replica());
        scene.pass(SHORT);
        scene.nudge();
        assertThat(scene.told()).containsExactly("c:1");
        assertThat(scene.waiting()).containsExactly("b:2", "b:1");
    }

    // ================================================================ the work of one command

    /** Returns a lock that so many readers hold. */
    private static ShareScene readers(int count) {
        ShareScene scene = ShareScene.readWrite("b", "c");
        for (int i = 1; i <= count; i++) {
            scene.hold("a:" + i, 1);
        }
        return scene;
    }

    /** Returns a lock that a writer holds while so many readers of one client wait. */
    private static ShareScene waitingReaders(int count) {
        ShareScene scene = ShareScene.readWrite("b");
        scene.hold("a:1", ALL);
        for (int i = 1; i <= count; i++) {
            scene.queue(1, "b:" + i);
        }
        return scene;
    }

    @Test
    void aCommandMakesABoundedNumberOfGrants() {
        ShareScene scene = waitingReaders(2 * GRANTS + 1);
        assertThat(scene.withdraw("a:1").claimMillis()).isEqualTo(Reply.AGAIN);
        assertThat(scene.told()).hasSize(GRANTS);
        assertThat(scene.nudge().claimMillis()).isEqualTo(Reply.AGAIN);
        assertThat(scene.told()).hasSize(GRANTS);
        assertThat(scene.nudge().claimMillis()).isZero();
        assertThat(scene.told()).containsExactly("b:" + (2 * GRANTS + 1));
    }

    @Test
    void exactlyTheBoundOfGrantsIsAllOfThem() {
        ShareScene scene = waitingReaders(GRANTS);
        assertThat(scene.withdraw("a:1").claimMillis()).isZero();
        assertThat(scene.told()).hasSize(GRANTS);
    }

    @Test
    void aGrantTellsThatMoreWaitingMustBeExamined() {
        ShareScene scene = waitingReaders(GRANTS + 2);
        scene.pass(LEASE);
        Acquired granted = scene.acquire("b:1", 1);
        assertThat(granted.verdict()).isEqualTo(Verdict.GRANTED);
        assertThat(granted.remainingMillis()).isEqualTo(Reply.AGAIN);
        assertThat(scene.told()).hasSize(GRANTS);
        Acquired behind = scene.acquire("b:" + (GRANTS + 2), 1);
        assertThat(behind.verdict()).isEqualTo(Verdict.GRANTED);
        assertThat(behind.remainingMillis()).isZero();
    }

    @Test
    void aCommandExaminesABoundedNumberOfHolds() {
        ShareScene scene = readers(PLACES + 2);
        scene.queue(ALL, "b:1");
        scene.pass(LEASE);
        assertThat(scene.nudge().claimMillis()).isEqualTo(Reply.AGAIN);
        assertThat(scene.holders()).hasSize(2);
        assertThat(scene.told()).isEmpty();
        scene.nudge();
        assertThat(scene.told()).containsExactly("b:1");
    }

    @Test
    void anAskIsNotDecidedBeforeAllHoldsAreExamined() {
        ShareScene scene = readers(2 * PLACES + 1);
        scene.pass(LEASE);
        Acquired attempt = scene.attempt("b:1", ALL);
        assertThat(attempt.verdict()).isEqualTo(Verdict.AGAIN);
        assertThat(attempt.remainingMillis()).isZero();
        assertThat(attempt.position()).isZero();
        assertThat(scene.waiting()).isEmpty();
        Acquired asked = scene.acquire("b:2", ALL);
        assertThat(asked.verdict()).isEqualTo(Verdict.AGAIN);
        assertThat(asked.position()).isEqualTo(1);
        assertThat(scene.acquire("b:2", ALL).verdict()).isEqualTo(Verdict.GRANTED);
    }

    @Test
    void aRestoreIsNotDecidedBeforeAllHoldsAreExamined() {
        ShareScene scene = ShareScene.semaphore(PLACES + 2);
        Part forgotten = scene.hold("x:1", 5);
        scene.server.flush();
        for (int i = 1; i <= PLACES + 2; i++) {
            scene.hold(scene.wish("a:" + i, 1, i > 4 ? LEASE : 2 * LEASE, 0));
        }
        scene.pass(LEASE);
        assertThat(scene.restore(forgotten)).as("with what was removed it fits").isEqualTo(Renewal.OK);
        scene.withdraw("x:1");
        assertThat(scene.restore(new Part("x:1", PLACES - 1, forgotten.token(), forgotten.blockEnd())))
                .isEqualTo(Renewal.LOST);

        ShareScene crowded = ShareScene.semaphore(PLACES + 2);
        Part large = crowded.hold("x:1", PLACES + 1);
        crowded.server.flush();
        for (int i = 1; i <= PLACES + 2; i++) {
            crowded.hold("a:" + i, 1);
        }
        crowded.pass(LEASE);
        assertThat(crowded.restore(large)).isEqualTo(Renewal.STALE);
        assertThat(crowded.restore(large)).isEqualTo(Renewal.OK);
    }

    @Test
    void aHoldThatEndsDuringALongSearchIsNotMissed() {
        ShareScene scene = ShareScene.semaphore(2 * PLACES);
        Part forgotten = scene.hold("x:1", PLACES);
        scene.server.flush();
        for (int i = 1; i <= PLACES; i++) {
            scene.hold(scene.wish("a:" + i, 1, 2 * LEASE, 0));
        }
        scene.hold(scene.wish("a:0", 10, 9 * LEASE, 0));
        scene.hold("b:1", 1);
        scene.pass(LEASE);
        scene.nudge(); // examines all but the last two
        scene.pass(LEASE);
        assertThat(scene.restore(forgotten)).isEqualTo(Renewal.OK);
        scene.nudge();
        assertThat(scene.holders()).containsExactlyInAnyOrder("a:0", "x:1");
    }

    @Test
    void aHoldThatChangesItsPlaceDuringASearchIsNotMissed() {
        ShareScene scene = ShareScene.semaphore(2 * PLACES, "c");
        Part first = scene.hold(scene.wish("a:1", 1, 9 * LEASE, 0));
        for (int i = 2; i <= PLACES; i++) {
            scene.hold(scene.wish("a:" + i, 1, 9 * LEASE, 0));
        }
        scene.hold("b:1", 1);
        scene.hold("b:2", PLACES - 1);
        scene.queue(10, "c:1");
        scene.pass(LEASE);
        assertThat(scene.nudge().claimMillis()).isEqualTo(Reply.AGAIN);
        scene.release(first); // b:2 takes its place, which the search has passed
        scene.nudge();
        assertThat(scene.holders()).doesNotContain("b:1", "b:2");
        assertThat(scene.told()).containsExactly("c:1");
    }

    @Test
    void aCommandExaminesABoundedNumberOfPlaces() {
        ShareScene scene = waitingReaders(3 * PLACES);
        scene.listen("c");
        scene.queue(1, "c:1");
        scene.server.unsubscribe("b");
        assertThat(scene.withdraw("a:1").claimMillis()).isEqualTo(Reply.AGAIN);
        assertThat(scene.waiting()).hasSize(2 * PLACES + 1);
        assertThat(scene.attempt("d:1", 1).verdict()).isEqualTo(Verdict.AGAIN);
        assertThat(scene.acquire("c:1", 1).verdict()).isEqualTo(Verdict.AGAIN);
        assertThat(scene.acquire("c:1", 1).verdict()).isEqualTo(Verdict.GRANTED);
    }

    @Test
    void aRequestInTheLastPlaceExaminedIsGranted() {
        ShareScene scene = waitingReaders(PLACES - 2); // one more is the lease that has ended
        scene.listen("c");
        scene.queue(1, "c:1");
        scene.server.unsubscribe("b");
        scene.pass(LEASE);
        assertThat(scene.acquire("c:1", 1).verdict()).isEqualTo(Verdict.GRANTED);
    }
}
