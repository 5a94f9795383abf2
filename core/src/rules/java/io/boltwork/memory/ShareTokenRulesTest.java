// SPDX-License-Identifier: Apache-2.0
package io.boltwork.memory;

import static io.boltwork.memory.ShareScene.ALL;
import static io.boltwork.memory.ShareScene.BLOCK;
import static io.boltwork.memory.ShareScene.CLAIM;
import static io.boltwork.memory.ShareScene.LEASE;
import static io.boltwork.memory.ShareScene.NEVER;
import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.memory.ShareScene.Part;
import io.boltwork.spi.IdleLife;
import io.boltwork.spi.QueryReply.Inspected.Holder;
import io.boltwork.spi.Reply.Acquired;
import io.boltwork.spi.Reply.Release;
import io.boltwork.spi.Reply.Renewal;
import io.boltwork.spi.Reply.Verdict;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The rules of tokens, forgotten holds and expiry of shared locks. Each test is the trace that goes wrong without its
 * rule.
 */
class ShareTokenRulesTest {
    private static final long LIFE = IdleLife.DEFAULT.toMillis();

    // ================================================================ blocks

    @Test
    void aBlockEndsAMillisecondAfterTheClock() {
        ShareScene scene = ShareScene.semaphore(5);
        long micros = TimeUnit.SECONDS.toMicros(scene.begin.getEpochSecond());
        Part first = scene.hold("a:1", 1);
        assertThat(first.token()).isEqualTo(micros);
        assertThat(first.blockEnd()).isEqualTo(micros + BLOCK - 1);
        Part second = scene.hold("b:1", 1);
        assertThat(second.token()).as("the fence is ahead of the clock").isEqualTo(micros + BLOCK);
        assertThat(second.blockEnd()).isEqualTo(second.token());
        scene.pass(2);
        Part third = scene.hold("c:1", 1);
        assertThat(third.token()).isEqualTo(micros + 2_000);
        assertThat(third.blockEnd()).isEqualTo(micros + 2_000 + BLOCK - 1);
        assertThat(scene.inspect().fence()).isEqualTo(third.blockEnd());
    }

    @Test
    void overlappingHoldsDoNotRepeatTokensAfterAFlush() {
        ShareScene scene = ShareScene.semaphore(40);
        Part last = scene.hold("a:0", 1);
        for (int i = 1; i < 40; i++) {
            last = scene.hold("a:" + i, 1);
        }
        scene.pass(2);
        scene.server.flush();
        assertThat(scene.hold("b:1", 1).token()).isGreaterThan(last.blockEnd());
    }

    /** Without its rule, the next holder got a token below that of the restored hold. */
    @ParameterizedTest
    @ValueSource(ints = {2, 1_000})
    void aReleaseKeepsTheFenceAboveARestoredHold(int before) {
        ShareScene scene = ShareScene.semaphore(before + 1);
        for (int i = 0; i < before; i++) {
            scene.hold("a:" + i, 1);
        }
        Part lost = scene.hold("c:1", 1); // ahead of the clock
        scene.server.flush();
        scene.pass(1);
        Part other = scene.hold("d:1", 1);
        assertThat(lost.token()).isBetween(other.token() + 1, other.blockEnd());
        assertThat(scene.restore(lost)).isEqualTo(Renewal.OK);
        assertThat(scene.release(other, 0).outcome()).isEqualTo(Release.RELEASED);
        assertThat(scene.inspect().fence()).isGreaterThanOrEqualTo(lost.blockEnd());
        assertThat(scene.hold("e:1", 1).token()).isGreaterThan(lost.blockEnd());
    }

    @Test
    void tokensGrowEvenIfTheClockGoesBack() {
        ShareScene scene = ShareScene.semaphore(5, "c");
        Part first = scene.hold("a:1", 4);
        scene.pass(-60_000);
        Part second = scene.hold("b:1", 1);
        assertThat(second.token()).isEqualTo(first.blockEnd() + 1);
        scene.queue(4, "c:1");
        scene.release(first);
        Part third = scene.granted(4);
        assertThat(third.token()).isEqualTo(second.blockEnd() + 1);
        assertThat(third.blockEnd()).isEqualTo(third.token());
    }

    // ================================================================ fences

    @Test
    void aReleaseLowersTheFenceToTheLastTokenUsed() {
        ShareScene scene = ShareScene.semaphore(2);
        Part part = scene.hold("a:1", 1);
        scene.release(part, part.token() + 3, 0, 0, null);
        assertThat(scene.inspect().fence()).isEqualTo(part.token() + 3);
    }

    @Test
    void aReleaseLowersNothingOnceOthersHaveTokens() {
        ShareScene scene = ShareScene.readWrite();
        Part first = scene.hold("a:1", 1);
        Part second = scene.hold("b:1", 1);
        scene.release(first);
        assertThat(scene.inspect().fence()).isEqualTo(second.blockEnd());
        scene.release(second);
        assertThat(scene.hold("c:1", ALL).token()).isEqualTo(second.token() + 1);
    }

    @Test
    void aReleaseOfAnotherTokenRemovesTheHoldAndLowersNothing() {
        ShareScene scene = ShareScene.semaphore(1, "a", "b");
        Part before = scene.hold("b:0", 1);
        scene.queue(1, "a:1");
        scene.release(before);
        Part granted = scene.granted(1); // by message; the poll of a:1 is slow
        scene.pass(CLAIM);
        Part used = scene.hold("b:1", 1); // the claim has lapsed
        scene.queue(1, "a:1"); // the poll
        scene.release(used);
        Part anew = scene.granted(1);
        assertThat(anew.request()).isEqualTo("a:1");
        assertThat(scene.release(granted).outcome()).isEqualTo(Release.RELEASED);
        assertThat(scene.holders()).isEmpty();
        assertThat(scene.inspect().fence()).isEqualTo(anew.blockEnd());
    }

    @Test
    void theFenceOfWritersIsLoweredWithTheOther() {
        ShareScene scene = ShareScene.readWrite("b");
        Part writer = scene.hold("a:1", ALL);
        scene.queue(1, "b:1");
        scene.release(writer);
        Part reader = scene.granted(1);
        assertThat(reader.token()).isEqualTo(writer.token() + 1);
        scene.pass(LEASE); // a failover has lost the reader's renewals, so its claim ends
        scene.nudge();
        assertThat(scene.renew(reader)).isEqualTo(Renewal.FORGOTTEN);
        assertThat(scene.restore(reader)).isEqualTo(Renewal.OK);
    }

    // ================================================================ renewals

    @Test
    void aRenewalTestsRequestAndFirstToken() {
        ShareScene scene = ShareScene.semaphore(2);
        Part old = scene.hold("a:1", 1);
        scene.withdraw("a:1");
        Part late = scene.hold("a:1", 1); // a late acquire, so the client does not know that a:1 holds
        assertThat(scene.renew(old)).isEqualTo(Renewal.LOST);
        assertThat(scene.restore(old)).isEqualTo(Renewal.LOST);
        assertThat(scene.renew(late)).isEqualTo(Renewal.OK);
    }

    @Test
    void aRenewalOfAnEndedLeaseIsOkUntilItIsRemoved() {
        ShareScene scene = ShareScene.semaphore(1);
        Part part = scene.hold("a:1", 1);
        scene.pass(3 * LEASE);
        assertThat(scene.renew(part)).isEqualTo(Renewal.OK);
        assertThat(scene.holder("a:1").untilMillis()).isEqualTo(scene.now() + LEASE);
        scene.pass(LEASE);
        scene.release(scene.hold("b:1", 1));
        assertThat(scene.renew(part)).isEqualTo(Renewal.LOST);
    }

    @Test
    void staleRenewAndRestoreChangeNothing() {
        ShareScene scene = ShareScene.semaphore(2);
        Part part = scene.hold("a:1", 1);
        scene.pass(LEASE / 2);
        long now = scene.now();
        assertThat(scene.renewed(part, LEASE, 0, now - 1).outcome()).isEqualTo(Renewal.STALE);
        assertThat(scene.restored(part, LEASE, 0, now - 1).outcome()).isEqualTo(Renewal.STALE);
        assertThat(scene.holder("a:1").untilMillis()).isEqualTo(now + LEASE / 2);
        assertThat(scene.renewed(part, LEASE, 0, now).outcome()).isEqualTo(Renewal.OK);
        scene.server.flush();
        assertThat(scene.restored(part, LEASE, 0, now - 1).outcome()).isEqualTo(Renewal.STALE);
        assertThat(scene.holders()).isEmpty();
        assertThat(scene.restored(part, LEASE, 0, now).outcome()).isEqualTo(Renewal.OK);
    }

    @Test
    void aRenewalNeverRestores() {
        ShareScene scene = ShareScene.semaphore(2);
        Part part = scene.hold("a:1", 1);
        scene.server.flush();
        assertThat(scene.renew(part)).isEqualTo(Renewal.FORGOTTEN);
        assertThat(scene.holders()).isEmpty();
        assertThat(scene.inspect().fence()).isZero();
    }

    // ================================================================ restoring

    @Test
    void aRestoreBringsBackTokenBlockAndWeight() {
        ShareScene scene = ShareScene.semaphore(5);
        Part part = scene.hold("a:1", 2);
        scene.server.flush();
        scene.pass(2_000);
        assertThat(scene.restored(part, LEASE, 700, NEVER).outcome()).isEqualTo(Renewal.OK);
        assertThat(scene.inspect().holders())
                .containsExactly(new Holder("a:1", 2, part.token(), scene.now() + LEASE + 700, false));
        assertThat(scene.inspect().fence()).isEqualTo(part.blockEnd());
        assertThat(scene.free()).isEqualTo(3);
        assertThat(scene.acquire("a:1", 2).share().blockEnd()).isEqualTo(part.blockEnd());
        assertThat(scene.force(part.blockEnd()).released()).isTrue();
    }

    @Test
    void aReaderIsRestoredBesideNewReadersUntilAWriterCame() {
        ShareScene scene = ShareScene.readWrite();
        Part reader = scene.hold("a:1", 1);
        scene.server.flush();
        Part other = scene.hold("b:1", 1);
        assertThat(scene.renew(reader)).isEqualTo(Renewal.FORGOTTEN);
        assertThat(scene.restore(reader)).isEqualTo(Renewal.OK);
        scene.server.flush();
        scene.pass(1);
        Part writer = scene.hold("c:1", ALL);
        scene.release(writer);
        for (Part late : new Part[] {reader, other}) {
            assertThat(scene.renew(late)).isEqualTo(Renewal.LOST);
            assertThat(scene.restore(late)).isEqualTo(Renewal.LOST);
        }
    }

    @Test
    void aWriterIsNotRestoredOnceAReaderCame() {
        ShareScene scene = ShareScene.readWrite();
        Part writer = scene.hold("a:1", ALL);
        scene.server.flush();
        assertThat(scene.renew(writer)).isEqualTo(Renewal.FORGOTTEN);
        scene.pass(1);
        Part reader = scene.hold("b:1", 1);
        scene.release(reader);
        assertThat(scene.renew(writer)).isEqualTo(Renewal.LOST);
        assertThat(scene.restore(writer)).isEqualTo(Renewal.LOST);
    }

    @Test
    void aHoldThatTakesAllPermitsIsAWriter() {
        ShareScene scene = ShareScene.semaphore(3);
        Part part = scene.hold("a:1", 1);
        scene.server.flush();
        scene.pass(1);
        scene.release(scene.hold("b:1", 3));
        assertThat(scene.renew(part)).isEqualTo(Renewal.LOST);
        Part all = scene.hold("a:2", 3);
        scene.server.flush();
        scene.pass(1);
        scene.release(scene.hold("b:2", 2));
        assertThat(scene.renew(all)).isEqualTo(Renewal.LOST);
        assertThat(scene.renew(all.with(2))).as("a part of it").isEqualTo(Renewal.FORGOTTEN);
    }

    @Test
    void aRestoredWriterRaisesBothFences() {
        ShareScene scene = ShareScene.readWrite();
        Part reader = scene.hold("a:1", 1);
        scene.release(reader);
        Part writer = scene.hold("b:1", ALL);
        scene.server.flush();
        assertThat(scene.restore(writer)).isEqualTo(Renewal.OK);
        assertThat(scene.inspect().fence()).isEqualTo(writer.blockEnd());
        scene.withdraw("b:1");
        assertThat(scene.renew(reader)).isEqualTo(Renewal.LOST);
    }

    @Test
    void aRestoreNeverLowersTheFence() {
        ShareScene scene = ShareScene.readWrite();
        Part reader = scene.hold("a:1", 1);
        scene.server.flush();
        scene.pass(5);
        Part later = scene.hold("b:1", 1);
        assertThat(scene.restore(reader)).isEqualTo(Renewal.OK);
        assertThat(scene.inspect().fence()).isEqualTo(later.blockEnd() + 1);
    }

    @Test
    void aForgottenHoldIsRestoredOnlyIfItFits() {
        ShareScene scene = ShareScene.semaphore(3);
        Part part = scene.hold("a:1", 2);
        scene.server.flush();
        Part other = scene.hold("b:1", 2);
        assertThat(scene.renew(part)).isEqualTo(Renewal.FORGOTTEN);
        assertThat(scene.restore(part)).isEqualTo(Renewal.LOST);
        assertThat(scene.free()).isEqualTo(1);
        scene.release(other);
        assertThat(scene.restore(part)).isEqualTo(Renewal.OK);
    }

    @Test
    void aRestoreRemovesWhatHasEndedFirst() {
        ShareScene scene = ShareScene.semaphore(3);
        Part part = scene.hold("a:1", 2);
        scene.server.flush();
        scene.hold("b:1", 2);
        scene.pass(LEASE);
        assertThat(scene.restore(part)).isEqualTo(Renewal.OK);
        assertThat(scene.holders()).containsExactly("a:1");
    }

    @Test
    void aRestoreOfAHoldThatIsThereIsARenewal() {
        ShareScene scene = ShareScene.semaphore(3, "b", "c");
        Part part = scene.hold("a:1", 3);
        scene.queue(1, "b:1");
        scene.queue(2, "c:1");
        scene.pass(1_000);
        assertThat(scene.restore(part))
                .as("the bytes of an earlier one were late")
                .isEqualTo(Renewal.OK);
        assertThat(scene.holder("a:1").untilMillis()).isEqualTo(scene.now() + LEASE);
        assertThat(scene.restored(part.with(2), LEASE, 0, NEVER).claimMillis()).isEqualTo(CLAIM);
        assertThat(scene.told()).containsExactly("b:1");
    }

    // ================================================================ tombstones

    @Test
    void aReleasedHoldIsNotRestoredByALateCommand() {
        ShareScene scene = ShareScene.semaphore(2);
        Part part = scene.hold("a:1", 1);
        scene.hold(scene.wish("b:1", 1, 500, 0));
        long notAfter = scene.now() + 500;
        scene.release(part, notAfter); // found, although a restore was sent: another one has restored it
        scene.pass(500);
        scene.nudge(); // removes what has ended
        assertThat(scene.renew(part)).isEqualTo(Renewal.LOST);
        assertThat(scene.restored(part, LEASE, 0, notAfter).outcome()).isEqualTo(Renewal.LOST);
        assertThat(scene.holders()).isEmpty();
    }

    @Test
    void aForgottenHoldThatIsReleasedIsNotRestored() {
        ShareScene scene = ShareScene.semaphore(2);
        Part part = scene.hold("a:1", 1);
        scene.server.flush();
        assertThat(scene.release(part, scene.now()).outcome()).isEqualTo(Release.FORGOTTEN);
        assertThat(scene.restore(part)).isEqualTo(Renewal.LOST);
        assertThat(scene.release(part).outcome()).isEqualTo(Release.NOT_HELD);
    }

    @Test
    void aWithdrawnHoldIsNotRestored() {
        for (boolean flushed : new boolean[] {false, true}) {
            ShareScene scene = ShareScene.semaphore(2);
            Part part = scene.hold("a:1", 1);
            if (flushed) {
                scene.server.flush();
            }
            assertThat(scene.withdraw("a:1", scene.now() + 500).known()).isEqualTo(!flushed);
            scene.pass(500);
            assertThat(scene.restore(part)).isEqualTo(Renewal.LOST);
        }
    }

    @Test
    void withoutALateRestoreNoTombstoneIsLeft() {
        for (long restoredUntil : new long[] {0, -1}) {
            ShareScene scene = ShareScene.semaphore(2);
            Part part = scene.hold("a:1", 1);
            long notAfter = restoredUntil < 0 ? scene.now() - 1 : 0;
            assertThat(scene.release(part, notAfter).outcome()).isEqualTo(Release.RELEASED);
            assertThat(scene.renew(part)).isEqualTo(Renewal.FORGOTTEN);
        }
    }

    @Test
    void aTombstoneTakesNoRoomAndEndsUnseen() {
        ShareScene scene = ShareScene.semaphore(2);
        Part gone = scene.hold("a:1", 1);
        scene.release(gone, scene.now() + 500);
        scene.hold("b:1", 1);
        assertThat(scene.holders()).containsExactly("b:1");
        assertThat(scene.free()).isEqualTo(1);
        scene.pass(100);
        assertThat(scene.attempt("c:1", 2).remainingMillis()).isEqualTo(LEASE - 100);
        assertThat(scene.withdraw("a:1", scene.now()).known()).isFalse();
    }

    @Test
    void aTombstoneGoesWithTheNextLeasesThatEnd() {
        ShareScene scene = ShareScene.semaphore(2);
        Part gone = scene.hold("a:1", 1);
        scene.release(gone, scene.now() + LEASE - 1);
        scene.hold("b:1", 1);
        scene.pass(LEASE);
        scene.nudge();
        assertThat(scene.renew(gone)).isEqualTo(Renewal.FORGOTTEN);
    }

    @Test
    void aRequestWithATombstoneIsGrantedAnew() {
        ShareScene scene = ShareScene.semaphore(2);
        Part gone = scene.hold("a:1", 1);
        scene.release(gone, scene.now() + 500);
        Acquired late = scene.acquire("a:1", 1);
        assertThat(late.verdict()).isEqualTo(Verdict.GRANTED);
        assertThat(late.known()).isFalse();
        assertThat(late.token()).isGreaterThan(gone.token());
        assertThat(scene.restore(gone)).isEqualTo(Renewal.LOST);
        assertThat(scene.free()).isEqualTo(1);
    }

    // ================================================================ the life of a record

    @Test
    void aRecordIsForgottenAfterItsLastUseAndItsLeases() {
        ShareScene scene = ShareScene.semaphore(2);
        scene.hold(scene.wish("a:1", 1, 3 * LIFE, 0));
        Part b = scene.hold("b:1", 1);
        scene.release(b);
        scene.pass(3 * LIFE + LIFE);
        assertThat(scene.inspect().fence()).isPositive();
        scene.pass(1);
        assertThat(scene.inspect().fence()).isZero();
    }

    @Test
    void aRenewalCountsAsUseOnlyForAHolder() {
        ShareScene scene = ShareScene.semaphore(1);
        Part part = scene.hold("a:1", 1);
        scene.pass(LIFE);
        assertThat(scene.renew(part)).isEqualTo(Renewal.OK);
        scene.pass(LIFE);
        assertThat(scene.renew(new Part("a:2", 1, part.token(), part.blockEnd())))
                .isEqualTo(Renewal.LOST);
        scene.pass(LEASE);
        assertThat(scene.inspect().fence()).isPositive();
        scene.pass(1);
        assertThat(scene.inspect().fence()).isZero();
    }

    @Test
    void aCapacityThatWasSetLivesForThirtyDays() {
        for (boolean resized : new boolean[] {true, false}) {
            ShareScene scene = ShareScene.semaphore(2);
            if (resized) {
                scene.resize(5);
            } else { // a client that knows of it
                scene.release(scene.hold(scene.informed("a:1", 1, 5, 7)));
                scene.pass(LEASE);
            }
            scene.pass(IdleLife.SET_MILLIS);
            assertThat(scene.inspect().capacity()).isEqualTo(5);
            scene.pass(1);
            assertThat(scene.inspect().capacity()).isZero();
        }
    }

    @Test
    void nothingIsStoredForALockThatWasNeverUsed() {
        ShareScene scene = ShareScene.semaphore(2);
        scene.nudge();
        scene.withdraw("a:1");
        assertThat(scene.acquire("a:1", 3).verdict()).isEqualTo(Verdict.TOO_LARGE);
        assertThat(scene.inspect().capacity()).isZero();
    }
}
