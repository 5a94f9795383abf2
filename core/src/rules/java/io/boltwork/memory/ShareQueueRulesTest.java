// SPDX-License-Identifier: Apache-2.0
package io.boltwork.memory;

import static io.boltwork.memory.ShareScene.ALL;
import static io.boltwork.memory.ShareScene.BLOCK;
import static io.boltwork.memory.ShareScene.CLAIM;
import static io.boltwork.memory.ShareScene.LEASE;
import static io.boltwork.memory.ShareScene.NEVER;
import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.LockKind;
import io.boltwork.memory.ShareScene.Part;
import io.boltwork.spi.Command;
import io.boltwork.spi.Grant;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.QueryReply.Inspected.Waiting;
import io.boltwork.spi.Reply.Acquired;
import io.boltwork.spi.Reply.Release;
import io.boltwork.spi.Reply.Released;
import io.boltwork.spi.Reply.Renewal;
import io.boltwork.spi.Reply.Verdict;
import io.boltwork.spi.Reply.Withdrawn;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/**
 * The rules of the queue of a shared lock and of late commands. Each test is the trace that goes wrong without its
 * rule.
 */
class ShareQueueRulesTest {
    private static final long SILENCE = LockBackend.SILENCE_MILLIS;

    // ================================================================ order

    @Test
    void queueingIsIdempotentAndTellsTheRemainingTime() {
        ShareScene scene = ShareScene.semaphore(2);
        scene.hold("a:1", 1);
        scene.pass(1_000);
        assertThat(scene.acquire("b:1", 2)).satisfies(first -> {
            assertThat(first.verdict()).isEqualTo(Verdict.QUEUED);
            assertThat(first.remainingMillis()).isEqualTo(LEASE - 1_000);
            assertThat(first.position()).isEqualTo(1);
            assertThat(first.known()).isFalse();
            assertThat(first.share().free()).isEqualTo(1);
        });
        scene.listen("b");
        assertThat(scene.acquire("c:1", 1).position()).isEqualTo(2);
        assertThat(scene.acquire("b:1", 2)).satisfies(again -> {
            assertThat(again.position()).isEqualTo(1);
            assertThat(again.known()).isTrue();
        });
        assertThat(scene.inspect().queue())
                .containsExactly(new Waiting("b:1", 2, scene.now()), new Waiting("c:1", 1, scene.now()));
    }

    @Test
    void noRequestOvertakesAnother() {
        ShareScene scene = ShareScene.semaphore(3, "b", "c");
        Part first = scene.hold("a:1", 1);
        Part second = scene.hold("a:2", 1);
        scene.queue(3, "b:1");
        scene.queue(1, "c:1"); // though it fits
        assertThat(scene.attempt("d:1", 1).verdict()).isEqualTo(Verdict.REFUSED);
        scene.release(first);
        assertThat(scene.told()).isEmpty();
        assertThat(scene.acquire("c:1", 1).verdict()).isEqualTo(Verdict.QUEUED);
        scene.release(second);
        assertThat(scene.told()).containsExactly("b:1");
        assertThat(scene.waiting()).containsExactly("c:1");
    }

    @Test
    void readersInARowAreGrantedTogether() {
        ShareScene scene = ShareScene.readWrite("b", "c", "d", "e");
        Part writer = scene.hold("a:1", ALL);
        scene.queue(1, "b:1", "c:1");
        scene.queue(ALL, "d:1");
        scene.queue(1, "e:1");
        scene.release(writer);
        long token = writer.token() + 1;
        assertThat(scene.messages)
                .containsExactly(
                        new Grant(
                                ShareScene.LOCK,
                                "b:1",
                                token,
                                CLAIM,
                                scene.server.time(),
                                LockKind.READ_WRITE,
                                writer.token() + BLOCK - 1),
                        new Grant(
                                ShareScene.LOCK,
                                "c:1",
                                writer.token() + BLOCK,
                                CLAIM,
                                scene.server.time(),
                                LockKind.READ_WRITE,
                                writer.token() + BLOCK));
        assertThat(scene.waiting()).containsExactly("d:1", "e:1");
    }

    @Test
    void aWriterThatWaitsStopsNewReaders() {
        ShareScene scene = ShareScene.readWrite("b", "c");
        Part reader = scene.hold("a:1", 1);
        scene.queue(ALL, "b:1");
        scene.queue(1, "c:1");
        scene.release(reader);
        assertThat(scene.told()).containsExactly("b:1");
    }

    @Test
    void theFirstThatAsksIsGrantedWithoutAClaim() {
        ShareScene scene = ShareScene.semaphore(2, "b", "c");
        scene.hold("a:1", 2);
        scene.queue(1, "b:1", "c:1");
        scene.pass(LEASE);
        Acquired granted = scene.acquire("b:1", 1);
        assertThat(granted.verdict()).isEqualTo(Verdict.GRANTED);
        assertThat(granted.known()).isTrue();
        assertThat(granted.remainingMillis()).isZero();
        assertThat(scene.holder("b:1").claim()).isFalse();
        assertThat(scene.told()).as("those behind are served as well").containsExactly("c:1");
        assertThat(scene.waiting()).isEmpty();
    }

    @Test
    void anAskServesThoseBeforeItAndThenItself() {
        ShareScene scene = ShareScene.semaphore(2, "b", "c");
        scene.hold("a:1", 2);
        scene.queue(1, "b:1", "c:1");
        scene.pass(LEASE);
        assertThat(scene.acquire("c:1", 1).verdict()).isEqualTo(Verdict.GRANTED);
        assertThat(scene.told()).containsExactly("b:1");
        assertThat(scene.holder("b:1").claim()).isTrue();
    }

    // ================================================================ when a lease may end

    @Test
    void aWaitingRequestIsToldTheFirstEnd() {
        ShareScene scene = ShareScene.semaphore(4);
        scene.hold("a:1", 1);
        assertThat(scene.attempt("d:1", 4).remainingMillis()).isEqualTo(LEASE);
        Part shorter = scene.hold(scene.wish("b:1", 1, 2_000, 500));
        assertThat(scene.attempt("d:1", 4).remainingMillis()).isEqualTo(2_500);
        scene.renew(shorter);
        assertThat(scene.attempt("d:1", 4).remainingMillis())
                .as("a lower bound")
                .isEqualTo(2_500);
        scene.pass(2_500);
        assertThat(scene.attempt("d:1", 4).remainingMillis())
                .as("raised when it was reached")
                .isEqualTo(LEASE - 2_500);
        assertThat(scene.attempt("d:1", 4).share().free()).isEqualTo(2);
    }

    @Test
    void theFirstEndCountsClaimsRestoresAndMarkers() {
        ShareScene scene = ShareScene.semaphore(5, "b");
        Part a = scene.hold("a:1", 3);
        Part forgotten = scene.hold("a:2", 1);
        scene.server.flush();
        scene.restored(a, LEASE, 0, NEVER);
        scene.restored(forgotten, 6_000, 0, NEVER);
        assertThat(scene.attempt("d:1", 5).remainingMillis()).isEqualTo(6_000);
        Part kept = scene.hold("c:1", 1);
        scene.queue(1, "b:1");
        scene.release(kept, kept.token(), 4_000, 0, null);
        assertThat(scene.attempt("d:1", 5).remainingMillis()).isEqualTo(4_000);
        scene.renew(a.with(2));
        assertThat(scene.told()).containsExactly("b:1");
        assertThat(scene.attempt("d:1", 5).remainingMillis()).isEqualTo(CLAIM);
        scene.pass(4_000);
        assertThat(scene.attempt("d:1", 5).share().free())
                .as("claim and marker have ended")
                .isEqualTo(2);
    }

    @Test
    void everyCommandThatServesRemovesWhatHasEnded() {
        for (String how : new String[] {"release", "withdraw", "nudge", "force", "resize", "acquire"}) {
            ShareScene scene = ShareScene.semaphore(2, "b");
            Part stays = scene.hold(scene.wish("c:1", 1, 3 * LEASE, 0));
            scene.hold("a:1", 1);
            scene.queue(1, "b:1");
            scene.pass(LEASE);
            switch (how) {
                case "release" -> scene.release(new Part("d:1", 1, 5, 9));
                case "withdraw" -> scene.withdraw("d:1");
                case "nudge" -> scene.nudge();
                case "force" -> scene.force(5);
                case "resize" -> scene.resize(2);
                default -> scene.acquire("d:1", 1);
            }
            assertThat(scene.told()).as(how).containsExactly("b:1");
            assertThat(scene.renew(stays)).isEqualTo(Renewal.OK);
        }
    }

    @Test
    void aSmallerWeightServesWithWhatHasEnded() {
        ShareScene scene = ShareScene.semaphore(3, "b");
        Part part = scene.hold(scene.wish("c:1", 2, 3 * LEASE, 0));
        scene.hold("a:1", 1);
        scene.queue(2, "b:1");
        scene.pass(LEASE);
        assertThat(scene.renew(part)).isEqualTo(Renewal.OK);
        assertThat(scene.told()).as("the weight is the same").isEmpty();
        scene.renew(part.with(1));
        assertThat(scene.told()).containsExactly("b:1");
    }

    @Test
    void theTakeoverDelayIsInEveryEnd() {
        ShareScene scene = ShareScene.semaphore(2, "b");
        Command.Acquire wish = scene.wish("a:1", 2, LEASE, 2_000);
        Part part = scene.hold(wish);
        assertThat(scene.holder("a:1").untilMillis()).isEqualTo(scene.now() + LEASE + 2_000);
        scene.pass(1_000);
        scene.ask(wish);
        assertThat(scene.holder("a:1").untilMillis()).isEqualTo(scene.now() + LEASE + 2_000);
        scene.pass(1_000);
        scene.renewed(part, LEASE, 2_000, NEVER);
        assertThat(scene.holder("a:1").untilMillis()).isEqualTo(scene.now() + LEASE + 2_000);
        scene.pass(LEASE);
        assertThat(scene.ask(scene.wish("b:1", 1, LEASE, 4_000)).remainingMillis())
                .isEqualTo(2_000);
        scene.release(part);
        assertThat(scene.messages.remove().leaseMillis()).isEqualTo(CLAIM);
        assertThat(scene.holder("b:1").untilMillis()).isEqualTo(scene.now() + CLAIM + 4_000);
    }

    // ================================================================ heads that are gone

    @Test
    void aHeadWithoutAReceiverIsDropped() {
        ShareScene scene = ShareScene.semaphore(2, "b", "c");
        Part part = scene.hold("a:1", 2);
        scene.queue(1, "b:1", "b:2", "c:1");
        scene.server.unsubscribe("b");
        scene.release(part);
        assertThat(scene.told()).containsExactly("c:1");
        assertThat(scene.holders()).containsExactly("c:1");
        assertThat(scene.waiting()).isEmpty();
        assertThat(scene.acquire("b:2", 1).known()).isFalse();
    }

    @Test
    void aHeadWithoutAReceiverIsDroppedThoughItDoesNotFit() {
        ShareScene scene = ShareScene.semaphore(2, "b", "c");
        scene.hold("a:1", 1);
        scene.queue(2, "b:1", "b:2");
        scene.queue(1, "c:1");
        assertThat(scene.nudge().claimMillis()).isZero();
        assertThat(scene.waiting()).containsExactly("b:1", "b:2", "c:1");
        scene.server.unsubscribe("b");
        scene.nudge();
        assertThat(scene.told()).containsExactly("c:1");
        assertThat(scene.waiting()).isEmpty();
    }

    @Test
    void aSilentHeadIsDroppedWithAllRequestsOfItsClient() {
        ShareScene scene = ShareScene.semaphore(3, "b", "c");
        scene.hold(scene.wish("a:1", 1, 10 * LEASE, 0));
        scene.queue(3, "b:1");
        scene.queue(1, "c:1", "b:2");
        scene.pass(SILENCE - 1);
        scene.nudge();
        assertThat(scene.told()).isEmpty();
        scene.pass(1);
        scene.nudge();
        assertThat(scene.told()).containsExactly("c:1");
        assertThat(scene.waiting()).isEmpty();
        assertThat(scene.acquire("b:2", 3).known()).isFalse();
    }

    @Test
    void theSilenceBeginsWhenTheHeadIsFirstSeenThere() {
        ShareScene scene = ShareScene.semaphore(3, "b", "c", "d");
        scene.hold(scene.wish("a:1", 1, 10 * LEASE, 0));
        Part first = scene.hold(scene.wish("a:2", 2, 10 * LEASE, 0));
        scene.queue(2, "d:1");
        scene.queue(3, "b:1");
        scene.queue(1, "c:1");
        scene.pass(2 * SILENCE);
        scene.acquire("d:1", 2); // d:1 has the first place until now
        scene.release(first);
        assertThat(scene.told()).containsExactly("d:1");
        scene.pass(1);
        scene.withdraw("d:1"); // b:1 is the first, and long silent
        assertThat(scene.waiting()).containsExactly("b:1", "c:1");
        scene.pass(SILENCE - 2);
        scene.nudge();
        assertThat(scene.waiting()).containsExactly("b:1", "c:1");
        scene.pass(1);
        scene.nudge();
        assertThat(scene.told()).containsExactly("c:1");
    }

    @Test
    void anyAskOfItsClientKeepsAHeadAlive() {
        ShareScene scene = ShareScene.semaphore(3, "b", "c");
        scene.hold(scene.wish("a:1", 1, 10 * LEASE, 0));
        scene.queue(3, "b:1", "b:2");
        scene.queue(1, "c:1");
        scene.pass(SILENCE - 1);
        scene.acquire("b:2", 3);
        scene.pass(SILENCE - 1);
        scene.acquire("c:1", 1); // another client's does not count
        assertThat(scene.waiting()).containsExactly("b:1", "b:2", "c:1");
        scene.pass(1);
        assertThat(scene.acquire("c:1", 1).verdict()).isEqualTo(Verdict.GRANTED);
        assertThat(scene.waiting()).isEmpty();
    }

    @Test
    void aFailoverKeepsTheSilenceOfTheHead() {
        ShareScene scene = ShareScene.semaphore(3, "b", "c");
        scene.hold(scene.wish("a:1", 1, 10 * LEASE, 0));
        scene.queue(3, "b:1");
        scene.queue(1, "c:1");
        scene.pass(SILENCE);
        scene.server.failOver(scene.server.replica());
        scene.nudge();
        assertThat(scene.told()).containsExactly("c:1");
    }

    @Test
    void aSilentClientThatComesBackIsFirstSeenAnew() {
        ShareScene scene = ShareScene.semaphore(3, "b", "c");
        scene.hold(scene.wish("a:1", 1, 10 * LEASE, 0));
        scene.queue(3, "b:1");
        scene.queue(1, "c:1");
        scene.pass(SILENCE);
        scene.nudge();
        scene.renewed(scene.granted(1), 10 * LEASE, 0, NEVER);
        scene.queue(3, "b:1");
        scene.queue(1, "c:2");
        scene.pass(SILENCE - 1);
        scene.nudge();
        assertThat(scene.waiting()).containsExactly("b:1", "c:2");
    }

    // ================================================================ withdrawals and releases

    @Test
    void aWithdrawalServesTheWaiting() {
        ShareScene scene = ShareScene.semaphore(3, "b", "c");
        scene.hold("a:1", 2);
        scene.queue(3, "b:1");
        scene.queue(1, "c:1", "c:2");
        assertThat(scene.withdraw("b:1", 0)).isEqualTo(new Withdrawn(scene.server.time(), true, CLAIM, null));
        assertThat(scene.told()).containsExactly("c:1");
        assertThat(scene.withdraw("a:1").known()).isTrue();
        assertThat(scene.told()).containsExactly("c:2");
        assertThat(scene.holders()).containsExactlyInAnyOrder("c:1", "c:2");
        assertThat(scene.withdraw("a:1").known()).isFalse();
    }

    @Test
    void aReleaseWithoutAHoldStillServes() {
        ShareScene scene = ShareScene.semaphore(1, "b");
        scene.hold("a:1", 1);
        scene.queue(1, "b:1");
        scene.pass(LEASE);
        assertThat(scene.release(new Part("c:1", 1, 5, 9)).outcome()).isEqualTo(Release.NOT_HELD);
        assertThat(scene.told()).containsExactly("b:1");
    }

    @Test
    void everyCommandTakesItsRequestOutOfTheQueue() {
        for (String how : new String[] {"release", "withdraw", "lost", "restore"}) {
            ShareScene scene = ShareScene.semaphore(1, "b");
            scene.hold("a:1", 1);
            scene.queue(1, "b:1");
            Part old = new Part("b:1", 1, 5, 9);
            switch (how) {
                case "release" -> scene.release(old);
                case "withdraw" -> scene.withdraw("b:1");
                case "lost" -> scene.renew(old);
                default -> scene.restore(old);
            }
            assertThat(scene.waiting()).as(how).isEmpty();
        }
    }

    @Test
    void aReleaseEntersTheNextRequestBehindTheWaiting() {
        ShareScene scene = ShareScene.semaphore(2, "a", "b");
        Part part = scene.hold("a:1", 2);
        scene.queue(2, "b:1");
        Released released = scene.release(part, part.token(), 0, 0, scene.wish("a:2", 1));
        Acquired next = Objects.requireNonNull(released.next());
        assertThat(next.verdict()).isEqualTo(Verdict.QUEUED);
        assertThat(next.remainingMillis()).isEqualTo(CLAIM);
        assertThat(next.position()).isEqualTo(1);
        assertThat(released.claimMillis()).isEqualTo(CLAIM);
        assertThat(scene.told()).containsExactly("b:1");
        assertThat(scene.waiting()).containsExactly("a:2");
    }

    @Test
    void aReleaseGrantsTheNextRequestInItsReply() {
        ShareScene scene = ShareScene.semaphore(2);
        Part part = scene.hold("a:1", 2);
        Released released = scene.release(part, part.token() + 1, 0, 0, scene.wish("a:2", 1));
        Acquired next = Objects.requireNonNull(released.next());
        assertThat(next.verdict()).isEqualTo(Verdict.GRANTED);
        assertThat(next.token()).isEqualTo(part.token() + 2);
        assertThat(next.share().permits()).isEqualTo(1);
        assertThat(released.claimMillis()).isZero();
    }

    @Test
    void theNextRequestIsEnteredOnlyIfSomethingWasReleased() {
        ShareScene scene = ShareScene.semaphore(2);
        Part part = scene.hold("a:1", 1);
        scene.withdraw("a:1");
        Released released = scene.release(part, part.token(), 0, 0, scene.wish("a:2", 1));
        assertThat(released.outcome()).isEqualTo(Release.FORGOTTEN);
        assertThat(released.next()).isNull();
        assertThat(scene.holders()).isEmpty();
    }

    @Test
    void staleAcquiresChangeNothing() {
        ShareScene scene = ShareScene.semaphore(2);
        long now = scene.now();
        Command.Acquire late = new Command.Acquire(ShareScene.LOCK, "a:1", true, LEASE, 0, now - 1, scene.share(1));
        assertThat(scene.ask(late).verdict()).isEqualTo(Verdict.STALE);
        assertThat(scene.inspect().capacity()).isZero();
        Part part = scene.hold(new Command.Acquire(ShareScene.LOCK, "a:1", true, LEASE, 0, now, scene.share(1)));
        Acquired stale = scene.ask(late);
        assertThat(stale.verdict()).isEqualTo(Verdict.STALE);
        assertThat(stale.known()).isTrue();
        assertThat(stale.share().free()).isEqualTo(1);
        Released released = scene.release(part, part.token(), 0, 0, late);
        assertThat(released.outcome()).isEqualTo(Release.RELEASED);
        assertThat(Objects.requireNonNull(released.next()).verdict()).isEqualTo(Verdict.STALE);
        assertThat(scene.holders()).isEmpty();
    }
}
