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
import io.boltwork.spi.HeldShare;
import io.boltwork.spi.QueryReply.Inspected.Holder;
import io.boltwork.spi.Reply.Acquired;
import io.boltwork.spi.Reply.AcquiredShare;
import io.boltwork.spi.Reply.Renewal;
import io.boltwork.spi.Reply.Renewed;
import io.boltwork.spi.Reply.Resized;
import io.boltwork.spi.Reply.Restored;
import io.boltwork.spi.Reply.Verdict;
import io.boltwork.spi.Share;
import io.boltwork.spi.Shrunk;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The rules of weights and capacities of shared locks. Each test is the trace that goes wrong without its rule. */
class ShareRulesTest {

    // ================================================================ weights

    @Test
    void theWeightsOfAllHoldsAddUpToTheCapacity() {
        ShareScene scene = ShareScene.semaphore(5);
        long micros = TimeUnit.SECONDS.toMicros(scene.begin.getEpochSecond());
        assertThat(scene.acquire("a:1", 2))
                .isEqualTo(new Acquired(
                        scene.server.time(),
                        Verdict.GRANTED,
                        micros,
                        0,
                        0,
                        false,
                        null,
                        new AcquiredShare(2, micros + BLOCK - 1, 0, 5, 0)));
        scene.pass(1_000);
        Part b = scene.hold("b:1", 2);
        assertThat(scene.attempt("c:1", 2))
                .isEqualTo(new Acquired(
                        scene.server.time(),
                        Verdict.REFUSED,
                        0,
                        LEASE - 1_000,
                        0,
                        false,
                        null,
                        new AcquiredShare(0, 0, 1, 5, 0)));
        scene.hold("c:1", 1);
        assertThat(scene.attempt("d:1", 1).verdict()).isEqualTo(Verdict.REFUSED);
        scene.release(b);
        assertThat(scene.free()).isEqualTo(2);
        assertThat(scene.inspect().holders()).extracting(Holder::permits).containsExactlyInAnyOrder(2, 1);
    }

    @Test
    void readersHoldTogetherAndAWriterAlone() {
        ShareScene scene = ShareScene.readWrite();
        Part first = scene.hold("a:1", 1);
        Part second = scene.hold("b:1", 1);
        assertThat(scene.attempt("c:1", ALL).verdict()).isEqualTo(Verdict.REFUSED);
        scene.release(first);
        assertThat(scene.attempt("c:1", ALL).verdict()).isEqualTo(Verdict.REFUSED);
        scene.release(second);
        scene.hold("c:1", ALL);
        assertThat(scene.attempt("a:2", 1).verdict()).isEqualTo(Verdict.REFUSED);
        assertThat(scene.attempt("b:2", ALL).verdict()).isEqualTo(Verdict.REFUSED);
    }

    @Test
    void locksOfDifferentKindsHaveNothingToDoWithEachOther() {
        ShareScene scene = ShareScene.readWrite();
        scene.hold("a:1", ALL);
        Share one = new Share(LockKind.SEMAPHORE, 1, 1, 0);
        assertThat(scene.ask(new Command.Acquire(ShareScene.LOCK, "b:1", true, LEASE, 0, NEVER, one))
                        .verdict())
                .isEqualTo(Verdict.GRANTED);
        assertThat(scene.server
                        .execute(new Command.Acquire(ShareScene.LOCK, "c:1", true, LEASE, 0, NEVER))
                        .verdict())
                .isEqualTo(Verdict.GRANTED);
        assertThat(scene.holders()).containsExactly("a:1");
    }

    @Test
    void aHoldersRetryFindsItsTokenAndWeightAgain() {
        ShareScene scene = ShareScene.semaphore(5);
        Part part = scene.hold("a:1", 2);
        scene.pass(LEASE - 1);
        Acquired again = scene.acquire("a:1", 4);
        assertThat(again.verdict()).isEqualTo(Verdict.GRANTED);
        assertThat(again.known()).isTrue();
        assertThat(again.token()).isEqualTo(part.token());
        assertThat(again.share()).isEqualTo(new AcquiredShare(2, part.blockEnd(), 0, 5, 0));
        assertThat(scene.holder("a:1").untilMillis()).isEqualTo(scene.now() + LEASE);
        assertThat(scene.free()).isEqualTo(3);
    }

    @Test
    void aHoldThatHasEndedIsAcquiredAnew() {
        ShareScene scene = ShareScene.semaphore(5);
        Part part = scene.hold("a:1", 2);
        scene.pass(LEASE);
        Acquired again = scene.acquire("a:1", 4);
        assertThat(again.verdict()).isEqualTo(Verdict.GRANTED);
        assertThat(again.known()).isTrue();
        assertThat(again.token()).isGreaterThan(part.blockEnd());
        assertThat(scene.free()).isEqualTo(1);
        assertThat(scene.renew(part)).isEqualTo(Renewal.LOST);
    }

    // ================================================================ renewals

    @Test
    void theEndOfALeaseNeverMovesBack() {
        ShareScene scene = ShareScene.semaphore(5);
        Part part = scene.hold("a:1", 2);
        scene.renewed(part, 60_000, 500, NEVER);
        long until = scene.now() + 60_500;
        scene.renew(part);
        scene.renewed(part, 0, 0, NEVER); // only asks
        scene.acquire("a:1", 2);
        scene.restore(part);
        assertThat(scene.holder("a:1").untilMillis()).isEqualTo(until);
    }

    @Test
    void aSmallerWeightIsTakenOverAndServesTheWaiting() {
        ShareScene scene = ShareScene.semaphore(4, "b", "c");
        Part part = scene.hold("a:1", 4);
        scene.queue(2, "b:1", "c:1");
        assertThat(scene.renewed(part.with(2), LEASE, 0, NEVER)).isEqualTo(new Renewed.Item(Renewal.OK, null, CLAIM));
        assertThat(scene.told()).containsExactly("b:1");
        assertThat(scene.holder("a:1")).isEqualTo(new Holder("a:1", 2, part.token(), scene.now() + LEASE, false));
        assertThat(scene.renewed(part.with(2), LEASE, 0, NEVER)).isEqualTo(new Renewed.Item(Renewal.OK, null));
        scene.renew(part.with(1));
        assertThat(scene.told()).isEmpty();
        assertThat(scene.waiting()).containsExactly("c:1");
    }

    @Test
    void aWeightNeverGrows() {
        ShareScene scene = ShareScene.semaphore(4, "b");
        Part part = scene.hold("a:1", 3);
        scene.renew(part.with(1));
        assertThat(scene.renew(part)).as("the late renewal of before").isEqualTo(Renewal.OK);
        assertThat(scene.restore(part)).isEqualTo(Renewal.OK);
        assertThat(scene.holder("a:1").permits()).isEqualTo(1);
        scene.hold("b:1", 3);
        assertThat(scene.attempt("c:1", 1).verdict()).isEqualTo(Verdict.REFUSED);
    }

    @Test
    void aWriterBecomesAReaderAndReadersJoinIt() {
        ShareScene scene = ShareScene.readWrite("b", "c", "d");
        Part writer = scene.hold("a:1", ALL);
        scene.queue(1, "b:1", "c:1");
        scene.queue(ALL, "d:1");
        assertThat(scene.renewed(writer.with(1), LEASE, 0, NEVER).claimMillis()).isEqualTo(CLAIM);
        assertThat(scene.holders()).containsExactlyInAnyOrder("a:1", "b:1", "c:1");
        assertThat(scene.waiting()).containsExactly("d:1");
    }

    @Test
    void aReplicatedLeaseIsExtendedAndCounted() {
        ShareScene scene = ShareScene.semaphore(4);
        scene.server.setReplicas(2);
        Part part = scene.hold("a:1", 2);
        scene.pass(1_000);
        Command.Renew.Item item =
                new Command.Renew.Item(ShareScene.LOCK, "a:1", part.token(), LEASE, 0, scene.share(2));
        Command.Replicate replicate = new Command.Replicate(item, 2, false, 500, NEVER);
        assertThat(scene.server.execute(replicate).copies()).isEqualTo(2);
        assertThat(scene.holder("a:1").untilMillis()).isEqualTo(scene.now() + LEASE);
        scene.release(part);
        scene.hold("b:1", 4);
        assertThat(scene.server.execute(replicate).outcome()).isEqualTo(Renewal.LOST);
        assertThat(scene.server.execute(replicate).copies()).isZero();
    }

    // ================================================================ capacity

    @Test
    void aWeightAboveTheCapacityIsTooLarge() {
        ShareScene scene = ShareScene.semaphore(3);
        scene.hold("a:1", 1);
        assertThat(scene.acquire("b:1", 4))
                .isEqualTo(new Acquired(
                        scene.server.time(),
                        Verdict.TOO_LARGE,
                        0,
                        0,
                        0,
                        false,
                        null,
                        new AcquiredShare(0, 0, 2, 3, 0)));
        assertThat(scene.attempt("b:2", 4).verdict()).isEqualTo(Verdict.TOO_LARGE);
        assertThat(scene.waiting()).isEmpty();
        assertThat(scene.acquire("b:3", 3).verdict()).isEqualTo(Verdict.QUEUED);
    }

    @Test
    void aRequestThatIsTooLargeLeavesItsPlaceToTheNext() {
        ShareScene scene = ShareScene.semaphore(3, "b", "c");
        scene.hold("a:1", 1);
        scene.queue(3, "b:1");
        scene.queue(1, "c:1");
        Acquired answer = scene.ask(scene.informed("b:1", 3, 2, 5)); // its client knows of a newer capacity
        assertThat(answer.verdict()).isEqualTo(Verdict.TOO_LARGE);
        assertThat(answer.known()).isTrue();
        assertThat(scene.told()).containsExactly("c:1");
        assertThat(scene.waiting()).isEmpty();
    }

    @Test
    void aResizeIsStoredWithItsTimeAndServesTheWaiting() {
        ShareScene scene = ShareScene.semaphore(2, "b", "c");
        Part a = scene.hold("a:1", 2);
        scene.queue(2, "b:1", "c:1");
        long micros = TimeUnit.MILLISECONDS.toMicros(scene.now());
        assertThat(scene.resize(4)).isEqualTo(new Resized(scene.server.time(), 4, micros, CLAIM));
        assertThat(scene.told()).containsExactly("b:1");
        assertThat(scene.inspect().capacity()).isEqualTo(4);
        assertThat(scene.resize(3)).isEqualTo(new Resized(scene.server.time(), 3, micros + 1, CLAIM));
        scene.pass(-60_000);
        assertThat(scene.resize(2).set()).isEqualTo(micros + 2);
        scene.release(a);
        assertThat(scene.told()).isEmpty();
        assertThat(scene.acquire("d:1", 2).share()).isEqualTo(new AcquiredShare(0, 0, 0, 2, micros + 2));
    }

    @Test
    void holdsStayWhenTheCapacityBecomesSmaller() {
        ShareScene scene = ShareScene.semaphore(5, "c");
        Part a = scene.hold("a:1", 3);
        Part b = scene.hold("b:1", 2);
        scene.resize(3);
        assertThat(scene.renew(a)).isEqualTo(Renewal.OK);
        assertThat(scene.attempt("c:1", 1).share().free()).isZero();
        scene.queue(1, "c:1");
        scene.release(b);
        assertThat(scene.waiting()).containsExactly("c:1");
        scene.renew(a.with(2));
        assertThat(scene.told()).containsExactly("c:1");
    }

    @Test
    void aWaitingRequestThatCanNeverFitIsDropped() {
        ShareScene scene = ShareScene.semaphore(3, "b", "c");
        scene.hold("a:1", 1);
        scene.queue(3, "b:1");
        scene.queue(1, "c:1");
        scene.resize(2);
        assertThat(scene.told()).containsExactly("c:1");
        assertThat(scene.waiting()).isEmpty();
        Acquired answer = scene.acquire("b:1", 3);
        assertThat(answer.verdict()).isEqualTo(Verdict.TOO_LARGE);
        assertThat(answer.known()).isFalse();
        assertThat(answer.share().capacity()).isEqualTo(2);
    }

    @Test
    void aSmallerCapacityIsToldToEachClientThatHoldsOrWaits() {
        ShareScene scene = ShareScene.semaphore(5, "a", "b", "c", "d", "e");
        scene.hold("a:1", 2);
        scene.hold("a:2", 1);
        Part kept = scene.hold("e:1", 1);
        scene.release(kept, kept.token(), 60_000, 0, null);
        scene.queue(2, "b:1", "c:1");
        scene.queue(1, "a:3", "b:2");
        scene.resize(5);
        scene.resize(6);
        assertThat(scene.shrunk).isEmpty();
        scene.resize(2);
        assertThat(scene.shrunk).extracting(Shrunk::request).containsExactly("a:1", "b:1", "c:1");
        assertThat(scene.shrunk)
                .allMatch(each -> each.capacity() == 2 && each.lock().equals(ShareScene.LOCK));
    }

    @Test
    void anEquallyOldCapacityDoesNotReplaceTheServers() {
        ShareScene scene = ShareScene.semaphore(3);
        scene.hold("a:1", 1);
        assertThat(scene.ask(scene.informed("b:1", 4, 9, 0)).share().capacity()).isEqualTo(3);
        long set = scene.resize(4).set();
        scene.ask(scene.informed("b:2", 1, 9, set));
        scene.ask(scene.informed("b:3", 1, 9, set - 1));
        assertThat(scene.inspect().capacity()).isEqualTo(4);
    }

    @Test
    void aNewerCapacityIsTakenOver() {
        for (String how : new String[] {"acquire", "renew", "restore", "next"}) {
            ShareScene scene = ShareScene.semaphore(3);
            Part a = scene.hold("a:1", 1);
            Share newer = new Share(LockKind.SEMAPHORE, 1, 7, 5);
            switch (how) {
                case "acquire" -> scene.ask(scene.informed("b:1", 1, 7, 5));
                case "renew" -> scene.renewed(a, LEASE, 0, NEVER, newer);
                case "restore" -> scene.server.execute(restore(a, newer));
                default -> scene.release(a, a.token(), 0, 0, scene.informed("a:2", 1, 7, 5));
            }
            assertThat(scene.inspect().capacity()).as(how).isEqualTo(7);
            assertThat(scene.acquire("c:1", 8).share().set()).as(how).isEqualTo(5);
        }
    }

    @Test
    void aLargerCapacityTakenOverServesTheWaiting() {
        for (String how : new String[] {"repetition", "renew", "restore", "lost", "too large", "try"}) {
            ShareScene scene = ShareScene.semaphore(2, "c");
            Part a = scene.hold("a:1", 1);
            Part b = scene.hold("b:1", 1);
            scene.queue(1, "c:1");
            Share newer = new Share(LockKind.SEMAPHORE, 1, 4, 5);
            switch (how) {
                case "repetition" -> scene.ask(scene.informed("a:1", 1, 4, 5));
                case "renew" -> scene.renewed(a, LEASE, 0, NEVER, newer);
                case "restore" -> scene.server.execute(restore(a, newer));
                case "lost" -> scene.server.execute(restore(new Part("b:1", 1, a.token(), b.blockEnd()), newer));
                case "too large" -> scene.ask(scene.informed("d:1", 5, 4, 5));
                default -> scene.ask(new Command.Acquire(ShareScene.LOCK, "d:1", false, LEASE, 0, NEVER, newer));
            }
            assertThat(scene.told()).as(how).containsExactly("c:1");
        }
    }

    @Test
    void aRestoreThatServesTellsWhenTheClaimsEnd() {
        ShareScene scene = ShareScene.semaphore(2, "b", "c");
        Part a = scene.hold("a:1", 1);
        scene.server.flush();
        scene.hold("d:1", 1);
        scene.queue(2, "b:1");
        scene.queue(1, "c:1");
        Share newer = new Share(LockKind.SEMAPHORE, 1, 4, 5);
        assertThat(scene.server.execute(restore(a, newer)))
                .isEqualTo(new Restored(scene.server.time(), Renewal.OK, null, CLAIM));
        assertThat(scene.told()).containsExactly("b:1");
    }

    @Test
    void aRenewalOfAForgottenHoldWritesNothing() {
        ShareScene scene = ShareScene.semaphore(3);
        Part a = scene.hold("a:1", 2);
        scene.server.flush();
        Share newer = new Share(LockKind.SEMAPHORE, 2, 7, 5);
        assertThat(scene.renewed(a, LEASE, 0, NEVER, newer).outcome()).isEqualTo(Renewal.FORGOTTEN);
        assertThat(scene.inspect().capacity()).isZero();
        assertThat(scene.holders()).isEmpty();
        assertThat(scene.inspect().fence()).isZero();
    }

    private static Command.Restore restore(Part part, Share share) {
        return new Command.Restore(
                ShareScene.LOCK,
                part.request(),
                part.token(),
                LEASE,
                0,
                NEVER,
                new HeldShare(share, part.blockEnd(), 0));
    }

    // ================================================================ minimum holds

    @Test
    void theWeightOfAKeptHoldStaysTaken() {
        ShareScene scene = ShareScene.semaphore(4, "b", "c");
        Part a = scene.hold("a:1", 3);
        scene.queue(2, "b:1", "c:1");
        assertThat(scene.release(a, a.token(), 800, 0, null).claimMillis()).isEqualTo(800);
        assertThat(scene.inspect().keptUntilMillis()).isEqualTo(scene.now() + 800);
        assertThat(scene.holders()).isEmpty();
        assertThat(scene.acquire("b:1", 2).remainingMillis()).isEqualTo(800);
        assertThat(scene.acquire("b:1", 2).share().free()).isEqualTo(1);
        scene.pass(799);
        assertThat(scene.nudge().claimMillis()).isEqualTo(1);
        assertThat(scene.told()).isEmpty();
        scene.pass(1);
        scene.nudge();
        assertThat(scene.told()).containsExactly("b:1", "c:1");
        assertThat(scene.inspect().keptUntilMillis()).isZero();
    }

    @Test
    void aMarkerEqualsNoRequest() {
        ShareScene scene = ShareScene.semaphore(2);
        Part a = scene.hold("a:1", 1);
        scene.release(a, a.token(), 500, 0, null);
        assertThat(scene.renew(a)).isEqualTo(Renewal.FORGOTTEN);
        assertThat(scene.withdraw("a:1").known()).isFalse();
        assertThat(scene.acquire("a:1", 1).known()).isFalse();
        assertThat(scene.attempt("b:1", 1).verdict()).isEqualTo(Verdict.REFUSED);
        scene.pass(500);
        assertThat(scene.acquire("b:1", 1).verdict()).isEqualTo(Verdict.GRANTED);
    }

    @Test
    void theIdOfAClientMayBeginWithAHyphen() {
        ShareScene scene = ShareScene.semaphore(3, "-a");
        Part kept = scene.hold("a:1", 1);
        Part part = scene.hold("-a:1", 1);
        assertThat(scene.holders()).containsExactlyInAnyOrder("a:1", "-a:1");
        scene.release(kept, kept.token(), 500, 0, null);
        assertThat(scene.holders()).containsExactly("-a:1");
        assertThat(scene.renew(part)).isEqualTo(Renewal.OK);
        assertThat(scene.force(part.token()).released()).isTrue();
        assertThat(scene.taken).hasSize(1);
        assertThat(scene.renew(part)).isEqualTo(Renewal.LOST);
        assertThat(scene.restore(part)).isEqualTo(Renewal.LOST);
    }

    @Test
    void theNextRequestWaitsBehindAKeptHold() {
        ShareScene scene = ShareScene.semaphore(2, "a");
        Part a = scene.hold("a:1", 2);
        Acquired next = Objects.requireNonNull(
                scene.release(a, a.token(), 800, 0, scene.wish("a:2", 1)).next());
        assertThat(next.verdict()).isEqualTo(Verdict.QUEUED);
        assertThat(next.remainingMillis()).isEqualTo(800);
        scene.pass(800);
        scene.nudge();
        assertThat(scene.told()).containsExactly("a:2");
    }

    // ================================================================ replicas

    @Test
    void aReplicaHasTheWholeRecord() {
        ShareScene scene = ShareScene.semaphore(3, "b", "c");
        Part writer = scene.hold("a:0", 3);
        scene.release(writer);
        Part a = scene.hold("a:1", 1);
        Part gone = scene.hold("a:2", 1);
        scene.release(gone, scene.now() + 400);
        Part kept = scene.hold("a:3", 1);
        scene.release(kept, kept.token(), 700, 0, null);
        long set = scene.resize(4).set();
        scene.queue(3, "b:1");
        scene.queue(1, "c:1");
        Object before = scene.inspect();
        scene.server.failOver(scene.server.replica());
        assertThat(scene.inspect())
                .usingRecursiveComparison()
                .ignoringFields("server")
                .isEqualTo(before);
        assertThat(scene.acquire("b:1", 3).share()).isEqualTo(new AcquiredShare(0, 0, 2, 4, set));
        assertThat(scene.acquire("b:1", 3).remainingMillis()).isEqualTo(700);
        assertThat(scene.nudge().claimMillis()).isEqualTo(700);
        assertThat(scene.restore(gone)).isEqualTo(Renewal.LOST);
        assertThat(scene.restore(new Part("d:1", 1, writer.token(), writer.token())))
                .as("the token of the last hold of everything")
                .isEqualTo(Renewal.LOST);
        scene.pass(700);
        scene.release(a);
        assertThat(scene.told()).containsExactly("b:1", "c:1");
    }
}
