// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.spi.Command;
import io.boltwork.spi.HeldShare;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Reply.Acquired;
import io.boltwork.spi.Reply.Release;
import io.boltwork.spi.Reply.Released;
import io.boltwork.spi.Reply.Renewal;
import io.boltwork.spi.Reply.Verdict;
import io.boltwork.spi.Reply.Withdrawn;
import io.boltwork.spi.Share;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests what {@code sharerelease.lua} and {@code sharewithdraw.lua} write and answer. */
class ShareReleaseScriptTest extends ShareScriptTest {

    private Released release(String request, Acquired granted, long keepMillis, Command.Acquire next) {
        return a.ask(
                new Command.Release(LOCK, request, granted.token(), granted.token(), keepMillis, next, held(granted)),
                Released.class);
    }

    private static Command.Acquire next(String request, int permits) {
        return new Command.Acquire(LOCK, request, false, Client.LEASE, 0, Client.NEVER, of(permits));
    }

    @Test
    void theLastHolderLeavesTheFencesAndTheCapacity() {
        Acquired granted = take("a:1", 3);
        Released released = a.ask(
                new Command.Release(LOCK, "a:1", granted.token(), granted.token() + 7, 0, null, held(granted)),
                Released.class);
        assertThat(released.outcome()).isEqualTo(Release.RELEASED);
        assertThat(released.claimMillis()).isZero();
        String last = "" + (granted.token() + 7);
        Map<String, String> fields = fields();
        assertThat(fields.remove("soon")).isEmpty();
        assertThat(fields.remove("x")).isNotNull();
        assertThat(fields).isEqualTo(Map.of("capacity", "3", "used", "0", "fence", last, "all", last, "n", "0"));
    }

    @Test
    void theFencesStayIfOthersWereGrantedSince() {
        Acquired first = take("a:1", 1);
        Acquired second = take("b:1", 1);
        release("a:1", first);
        assertThat(field("fence")).isEqualTo(second.share().blockEnd());
        assertThat(field("all")).isZero();
        assertThat(fields()).containsEntry("e1", "b:1").containsEntry("used", "1");
        assertThat(entry("b:1", 0)).as("its index").isEqualTo(1);
        release("b:1", second);
        assertThat(field("fence")).isEqualTo(second.token());
    }

    @Test
    void aReleaseWithAnotherTokenEndsTheHoldAndKeepsTheFence() {
        Acquired granted = take("a:1", 1);
        Released released = a.ask(
                new Command.Release(LOCK, "a:1", granted.token() - 1, granted.token(), 0, null, held(granted)),
                Released.class);
        assertThat(released.outcome()).isEqualTo(Release.RELEASED);
        assertThat(holders()).isEmpty();
        assertThat(field("fence")).isEqualTo(granted.share().blockEnd());
    }

    @Test
    void aReleasedWeightIsGrantedToThoseThatWait() {
        Acquired first = take("a:1", 2);
        Acquired second = take("a:2", 1);
        await("b:1", 2);
        assertThat(release("a:2", second).claimMillis())
                .as("nobody has a claim")
                .isZero();
        assertThat(queue()).containsExactly("b:1");
        assertThat(release("a:1", first).claimMillis())
                .as("none waits any more")
                .isZero();
        assertThat(b.nextGrant().request()).isEqualTo("b:1");
    }

    @Test
    void theTimeUntilClaimsEndIsAnsweredWhileOthersWait() {
        Acquired first = take("a:1", 3);
        await("b:1", 2);
        await("b:2", 2);
        assertThat(release("a:1", first).claimMillis()).isEqualTo(LockBackend.CLAIM_MILLIS);
        b.nextGrant();
        assertThat(nudge().claimMillis()).isBetween(1L, LockBackend.CLAIM_MILLIS);
    }

    @Test
    void anUnknownHoldIsForgottenUnlessAnotherMayHaveConflicted() {
        Acquired lost = take("a:1", 2);
        redis.command("FLUSHALL");
        assertThat(release("a:1", lost).outcome()).isEqualTo(Release.FORGOTTEN);
        assertThat(fields()).isEmpty();

        take("b:1", 2);
        assertThat(release("a:1", lost).outcome()).as("both fit").isEqualTo(Release.FORGOTTEN);
        withdraw("b:1");
        take("b:2", 3);
        assertThat(release("a:1", lost).outcome()).as("one took all").isEqualTo(Release.NOT_HELD);
        Acquired all = new Acquired(
                lost.server(),
                Verdict.GRANTED,
                lost.token(),
                0,
                0,
                false,
                null,
                new Reply.AcquiredShare(3, 0, 0, 3, 0));
        withdraw("b:2");
        redis.command("FLUSHALL");
        take("b:3", 1);
        assertThat(release("a:1", all).outcome()).as("it took all").isEqualTo(Release.NOT_HELD);
    }

    @Test
    void aHoldThatEndedIsNotHeld() {
        Acquired granted = take("a:1", 1);
        end("a:1");
        take("b:1", 3);
        assertThat(release("a:1", granted).outcome()).isEqualTo(Release.NOT_HELD);
        assertThat(holders()).containsExactly("b:1");
    }

    @Test
    void aReleaseTakesItsRequestOutOfTheQueue() {
        Acquired granted = take("a:1", 3);
        await("b:1", 1);
        assertThat(release("b:1", granted).outcome()).isEqualTo(Release.NOT_HELD);
        assertThat(queue()).isEmpty();
    }

    // ================================================================ minimum hold

    @Test
    void aMarkerKeepsTheWeightForAWhile() {
        Acquired granted = take("a:1", 2);
        await("b:1", 3);
        Released released = release("a:1", granted, 5_000, null);
        assertThat(released.claimMillis()).isEqualTo(5_000);
        long ends = released.server().millis() + 5_000;
        assertThat(fields())
                .containsEntry("h:a:1", "1 2 0 0 " + ends + " 0 -")
                .containsEntry("e1", ":a:1")
                .containsEntry("used", "2")
                .containsEntry("soon", "" + ends)
                .containsEntry("claims", "" + ends);
        assertThat(holders()).isEmpty();
        assertThat(lock().keptUntilMillis()).isEqualTo(ends);
        withdraw("b:1");
        assertThat(take("a:1", 1).token()).as("the request may hold again").isGreaterThan(granted.token());
    }

    @Test
    void aMarkerThatEndsFreesItsWeight() {
        Acquired granted = take("a:1", 2);
        await("b:1", 3);
        release("a:1", granted, 5_000, null);
        end(":a:1");
        nudge();
        assertThat(b.nextGrant().request()).isEqualTo("b:1");
        assertThat(fields()).doesNotContainKey("h:a:1");
    }

    // ================================================================ tombstones

    @Test
    void aTombstoneRefusesALateRestore() {
        Acquired granted = take("a:1", 2);
        long until = granted.server().millis() + 60_000;
        a.ask(
                new Command.Release(LOCK, "a:1", granted.token(), granted.token(), 0, null, held(granted, until)),
                Released.class);
        assertThat(fields())
                .containsEntry("ha:1", "1 0 0 0 " + (until + 1) + " 0 -")
                .containsEntry("used", "0")
                .containsEntry("soon", "");
        assertThat(restore("a:1", granted).outcome()).isEqualTo(Renewal.LOST);
        assertThat(renew("a:1", granted.token(), 1_000, of(2)).outcome()).isEqualTo(Renewal.LOST);
        assertThat(holders()).isEmpty();
        assertThat(take("a:1", 1).known()).as("it may ask anew").isFalse();
    }

    @Test
    void aTombstoneIsLeftForAForgottenHoldToo() {
        Acquired granted = take("a:1", 2);
        long until = granted.server().millis() + 60_000;
        redis.command("FLUSHALL");
        assertThat(a.ask(
                                new Command.Release(
                                        LOCK, "a:1", granted.token(), granted.token(), 0, null, held(granted, until)),
                                Released.class)
                        .outcome())
                .isEqualTo(Release.FORGOTTEN);
        assertThat(restore("a:1", granted).outcome()).isEqualTo(Renewal.LOST);
        long left = (Long) redis.command("PTTL", SHARED);
        assertThat(left).as("it outlives the restore").isGreaterThan(60_000 + 500_000);
    }

    @Test
    void aTombstoneThatEndedGoesWithTheNextSearch() {
        Acquired granted = take("a:1", 2);
        a.ask(
                new Command.Withdraw(
                        LOCK, "a:1", 0, held(granted, granted.server().millis() + 60_000)),
                Withdrawn.class);
        take("b:1", 1);
        end("a:1");
        nudge();
        assertThat(fields()).as("nothing that has a weight may have ended").containsKey("ha:1");
        end("b:1");
        nudge();
        assertThat(fields()).doesNotContainKey("ha:1").doesNotContainKey("hb:1");
    }

    @Test
    void noTombstoneIsLeftIfNoRestoreCanArrive() {
        Acquired granted = take("a:1", 2);
        a.ask(
                new Command.Release(LOCK, "a:1", granted.token(), granted.token(), 0, null, held(granted, 1_000)),
                Released.class);
        assertThat(field("n")).isZero();
    }

    // ================================================================ the next request

    @Test
    void theNextRequestGetsItsPartIfNoneWaits() {
        Acquired granted = take("a:1", 3);
        Acquired next = release("a:1", granted, 0, next("a:2", 2)).next();
        assertThat(next.verdict()).isEqualTo(Verdict.GRANTED);
        assertThat(next.token()).isGreaterThan(granted.token());
        assertThat(entry("a:2")[CLAIM]).as("the answer is the grant").isEqualTo("-");
        assertThat(holders()).containsExactly("a:2");
    }

    @Test
    void theNextRequestWaitsBehindTheOthers() {
        Acquired granted = take("a:1", 3);
        await("b:1", 2);
        Released released = release("a:1", granted, 0, next("a:2", 2));
        assertThat(released.next().verdict()).isEqualTo(Verdict.QUEUED);
        assertThat(released.next().position()).isEqualTo(1);
        assertThat(released.claimMillis()).isEqualTo(LockBackend.CLAIM_MILLIS);
        assertThat(b.nextGrant().request()).isEqualTo("b:1");
        assertThat(queue()).containsExactly("a:2");
    }

    @Test
    void theNextRequestMayBeStaleOrTooLarge() {
        Acquired granted = take("a:1", 3);
        Command.Acquire stale = new Command.Acquire(LOCK, "a:2", true, Client.LEASE, 0, 1, of(1));
        Acquired answer = release("a:1", granted, 0, stale).next();
        assertThat(answer.verdict()).isEqualTo(Verdict.STALE);
        assertThat(answer.share().free()).isEqualTo(3);
        granted = take("a:3", 3);
        assertThat(release("a:3", granted, 0, next("a:4", 4)).next().verdict()).isEqualTo(Verdict.TOO_LARGE);
        assertThat(holders()).isEmpty();
        assertThat(queue()).isEmpty();
    }

    @Test
    void aHoldThatWasLostHasNoNextRequest() {
        Acquired granted = take("a:1", 3);
        withdraw("a:1");
        assertThat(release("a:1", granted, 0, next("a:2", 1)).next()).isNull();
        assertThat(holders()).isEmpty();
    }

    @Test
    void aNextRequestStaysInTheQueueAlthoughAClaimOfItsClientLapses() {
        Acquired first = take("a:1", 3);
        await("b:1", 2);
        await("a:2", 3);
        release("a:1", first);
        b.nextGrant();
        Acquired other = take("b:1", 2);
        await("b:2", 1);
        withdraw("a:2");
        b.nextGrant();
        await("a:3", 3);
        end("b:2");
        Released released = a.ask(
                new Command.Release(LOCK, "b:1", other.token(), other.token(), 0, next("b:3", 1), held(other)),
                Released.class);
        assertThat(released.next().verdict()).isEqualTo(Verdict.QUEUED);
        assertThat(released.claimMillis()).as("it waits").isPositive();
        assertThat(a.nextGrant().request()).isEqualTo("a:3");
        assertThat(queue()).containsExactly("b:3");
    }

    // ================================================================ withdrawals and nudges

    @Test
    void aWithdrawnRequestLeavesTheQueueOrItsPart() {
        take("a:1", 3);
        await("b:1", 1);
        await("b:2", 1);
        assertThat(withdraw("b:1").known()).isTrue();
        assertThat(withdraw("b:1").known()).isFalse();
        assertThat(queue()).containsExactly("b:2");
        assertThat(withdraw("a:1").known()).isTrue();
        assertThat(b.nextGrant().request()).isEqualTo("b:2");
        assertThat(holders()).containsExactly("b:2");
    }

    @Test
    void aWithdrawalKeepsTheFences() {
        Acquired granted = take("a:1", 3);
        withdraw("a:1");
        assertThat(field("fence")).isEqualTo(granted.share().blockEnd());
        assertThat(field("all")).isEqualTo(granted.share().blockEnd());
    }

    @Test
    void aWithdrawalLeavesATombstoneForAHoldThatIsUnknown() {
        long until = take("b:1", 1).server().millis() + 60_000;
        a.ask(new Command.Withdraw(LOCK, "a:1", 5, new HeldShare(of(1), 9, until)), Withdrawn.class);
        assertThat(entry("a:1")).containsExactly("2", "0", "0", "0", "" + (until + 1), "0", "-");
        assertThat(withdraw("a:1").known()).as("a tombstone is no hold").isFalse();
        assertThat(fields()).containsKey("ha:1");
    }

    @Test
    void aNudgeOfALockThatDoesNotExistWritesNothing() {
        Withdrawn nudged = nudge();
        assertThat(nudged.known()).isFalse();
        assertThat(nudged.claimMillis()).isZero();
        assertThat((Long) redis.command("EXISTS", SHARED)).isZero();
        a.ask(new Command.Withdraw(LOCK, null, 0, new HeldShare(Share.READ, 0, 0)), Withdrawn.class);
        assertThat((Long) redis.command("DBSIZE")).isZero();
    }

    @Test
    void aQueueWithoutHeadOrTailIsFoundAgain() {
        for (String field : List.of("head", "tail")) {
            Acquired granted = take("a:1", 3);
            await("b:1", 1);
            redis.command("HDEL", SHARED, field);
            await("a:2", 1);
            assertThat(queue()).containsExactly("b:1", "a:2");
            assertThat(release("a:1", granted).outcome()).isEqualTo(Release.RELEASED);
            assertThat(holders()).containsExactly("a:2", "b:1");
            redis.command("DEL", SHARED);
        }
        forgetGrants();
    }
}
