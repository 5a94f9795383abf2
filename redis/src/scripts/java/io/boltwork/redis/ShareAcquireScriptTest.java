// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.LockKind;
import io.boltwork.spi.Command;
import io.boltwork.spi.Grant;
import io.boltwork.spi.HeldShare;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Reply.Acquired;
import io.boltwork.spi.Reply.AcquiredShare;
import io.boltwork.spi.Reply.Verdict;
import io.boltwork.spi.Share;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests what {@code shareacquire.lua} writes and answers, and the messages that it sends. */
class ShareAcquireScriptTest extends ShareScriptTest {

    @Test
    void aNewLockHasTheFieldsOfItsFirstHold() {
        Acquired granted = take("a:1", 2);
        long token = granted.token();
        long until = granted.server().millis() + Client.LEASE;
        assertThat(fields())
                .isEqualTo(Map.of(
                        "capacity",
                        "3",
                        "used",
                        "2",
                        "soon",
                        "" + until,
                        "fence",
                        "" + (token + BLOCK - 1),
                        "n",
                        "1",
                        "e1",
                        "a:1",
                        "ha:1",
                        "1 2 " + token + " " + (token + BLOCK - 1) + " " + until + " " + Client.LEASE + " -",
                        "x",
                        "" + (until + 600_000)));
        assertThat(granted.share()).isEqualTo(new AcquiredShare(2, token + BLOCK - 1, 0, PERMITS, 0));
        assertThat(token / 1_000)
                .as("the token is the server's clock")
                .isEqualTo(granted.server().millis());
    }

    @Test
    void holdersShareTheCapacity() {
        Acquired first = take("a:1", 1);
        Acquired second = take("b:1", 2);
        assertThat(second.token()).isGreaterThan(first.share().blockEnd());
        assertThat(fields()).containsEntry("used", "3").containsEntry("n", "2").containsEntry("e2", "b:1");
        assertThat(field("soon")).as("the first end").isEqualTo(entry("a:1", ENDS));
        assertThat(field("all")).as("none took all").isZero();

        Acquired queued = await("a:2", 1);
        assertThat(queued.position()).isEqualTo(1);
        assertThat(queued.known()).isFalse();
        assertThat(queued.remainingMillis()).isBetween(1L, Client.LEASE);
        assertThat(queued.share()).isEqualTo(new AcquiredShare(0, 0, 0, PERMITS, 0));
        assertThat(holders()).containsExactly("a:1", "b:1");
    }

    @Test
    void aHolderOfAllRaisesBothFences() {
        Acquired granted = take("a:1", 3);
        assertThat(field("all"))
                .isEqualTo(field("fence"))
                .isEqualTo(granted.share().blockEnd());
    }

    @Test
    void aWaitingRequestHasItsWeightInTheQueue() {
        take("a:1", 3);
        Acquired queued = a.ask(new Command.Acquire(LOCK, "b:1", true, 5_000, 70, Client.NEVER, of(2)), Acquired.class);
        assertThat(fields())
                .containsEntry("head", "1")
                .containsEntry("tail", "2")
                .containsEntry("rb:1", "1")
                .containsEntry("q1", "5000 70/2 " + queued.server().millis() + " b:1");
        Acquired again = await("b:1", 2);
        assertThat(again.known()).isTrue();
        assertThat(again.position()).isEqualTo(1);
        assertThat(queue()).containsExactly("b:1");
    }

    @Test
    void aRefusedTryTellsWhatIsFree() {
        take("a:1", 2);
        Acquired refused = attempt("b:1", 2);
        assertThat(refused.verdict()).isEqualTo(Verdict.REFUSED);
        assertThat(refused.position()).isZero();
        assertThat(refused.share().free()).isEqualTo(1);
        assertThat(queue()).isEmpty();
    }

    @Test
    void noRequestOvertakesALargeOne() {
        take("a:1", 2);
        await("b:1", 3);
        assertThat(attempt("a:2", 1).verdict()).as("one permit is free").isEqualTo(Verdict.REFUSED);
        assertThat(await("a:3", 1).position()).isEqualTo(2);
    }

    @Test
    void aHolderThatAsksAgainKeepsItsTokenAndItsWeight() {
        Acquired granted = take("a:1", 2);
        setEntry("a:1", ENDS, granted.server().millis() + 5_000);
        Acquired again = take("a:1", 1);
        assertThat(again.known()).isTrue();
        assertThat(again.token()).isEqualTo(granted.token());
        assertThat(again.share()).isEqualTo(granted.share());
        assertThat(entry("a:1", ENDS)).isEqualTo(again.server().millis() + Client.LEASE);
        assertThat(field("n")).isEqualTo(1);
    }

    @Test
    void aRequestWhoseLeaseHasEndedGetsNewTokens() {
        Acquired granted = take("a:1", 2);
        end("a:1");
        Acquired again = take("a:1", 3);
        assertThat(again.known()).isTrue();
        assertThat(again.token()).isGreaterThan(granted.share().blockEnd());
        assertThat(again.share().permits()).isEqualTo(3);
        assertThat(field("used")).isEqualTo(3);
    }

    @Test
    void aLeaseThatHasEndedFreesItsWeight() {
        take("a:1", 3);
        take("a:1", 3);
        await("b:1", 1);
        end("a:1");
        assertThat(await("a:2", 3).position()).isEqualTo(1);
        assertThat(b.nextGrant().request()).isEqualTo("b:1");
        assertThat(holders()).containsExactly("b:1");
    }

    @Test
    void moreThanTheCapacityIsTooLargeAndDoesNotWait() {
        take("a:1", 3);
        await("b:1", 2);
        Acquired tooLarge = acquire("b:1", new Share(KIND, 4, PERMITS, 0));
        assertThat(tooLarge.verdict()).isEqualTo(Verdict.TOO_LARGE);
        assertThat(tooLarge.known()).isTrue();
        assertThat(tooLarge.share().capacity()).isEqualTo(PERMITS);
        assertThat(queue()).isEmpty();
        assertThat(attempt("b:2", 4).verdict()).isEqualTo(Verdict.TOO_LARGE);
    }

    @Test
    void aStaleRequestChangesNothing() {
        take("a:1", 3);
        await("b:1", 1);
        Map<String, String> before = fields();
        for (String request : List.of("a:1", "b:1", "b:2")) {
            Acquired stale = a.ask(
                    new Command.Acquire(LOCK, request, true, Client.LEASE, 0, 1, new Share(KIND, 1, 9, 5)),
                    Acquired.class);
            assertThat(stale.verdict()).isEqualTo(Verdict.STALE);
            assertThat(stale.known()).isEqualTo(!request.equals("b:2"));
            assertThat(stale.share()).isEqualTo(new AcquiredShare(0, 0, 0, PERMITS, 0));
        }
        assertThat(fields()).isEqualTo(before);
    }

    @Test
    void theNewestCapacityCounts() {
        take("a:1", new Share(KIND, 1, 3, 0));
        assertThat(take("a:2", new Share(KIND, 1, 9, 0)).share().capacity())
                .as("of two configured ones the first")
                .isEqualTo(3);
        Acquired newer = take("a:3", new Share(KIND, 1, 9, 1_000));
        assertThat(newer.share())
                .extracting(AcquiredShare::capacity, AcquiredShare::set)
                .containsExactly(9, 1_000L);
        assertThat(fields()).containsEntry("capacity", "9").containsEntry("set", "1000");
        assertThat(take("a:4", new Share(KIND, 1, 2, 999)).share().capacity()).isEqualTo(9);
        assertThat(take("a:5", new Share(KIND, 1, 2, 1_000)).share().capacity()).isEqualTo(9);
    }

    @Test
    void aLargerCapacityIsServedToThoseThatWaitFirst() {
        take("a:1", 3);
        await("b:1", 2);
        await("a:2", 3);
        Acquired asked = acquire("b:2", new Share(KIND, 1, 6, 1_000));
        assertThat(asked.verdict()).isEqualTo(Verdict.QUEUED);
        assertThat(b.nextGrant().request()).isEqualTo("b:1");
        assertThat(queue()).containsExactly("a:2", "b:2");
    }

    @Test
    void aGrantedWaiterHasAClaimUntilItAsks() {
        Acquired first = take("a:1", 3);
        await("b:1", 2);
        release("a:1", first);
        Grant grant = b.nextGrant();
        assertThat(grant.lock()).isEqualTo(LOCK);
        assertThat(grant.kind()).isEqualTo(KIND);
        assertThat(grant.request()).isEqualTo("b:1");
        assertThat(grant.leaseMillis()).isEqualTo(LockBackend.CLAIM_MILLIS);
        String block = grant.token() + " " + grant.blockEnd();
        long ends = grant.server().millis() + LockBackend.CLAIM_MILLIS;
        assertThat(fields())
                .containsEntry("hb:1", "1 2 " + block + " " + ends + " " + Client.LEASE + " 1")
                .containsEntry("claims", "" + ends)
                .containsEntry("fence", "" + grant.blockEnd());

        Acquired confirmed = take("b:1", 2);
        assertThat(confirmed.token()).isEqualTo(grant.token());
        assertThat(confirmed.share().blockEnd()).isEqualTo(grant.blockEnd());
        assertThat(entry("b:1")[CLAIM]).isEqualTo("-");
        assertThat(entry("b:1", ENDS)).isEqualTo(confirmed.server().millis() + Client.LEASE);
    }

    @Test
    void waitersInARowAreGrantedTogether() {
        Acquired first = take("a:1", 3);
        await("b:1", 1);
        await("a:2", 2);
        await("b:2", 1);
        assertThat(release("a:1", first).claimMillis()).isEqualTo(LockBackend.CLAIM_MILLIS);
        Grant one = b.nextGrant();
        Grant other = a.nextGrant();
        assertThat(other.token()).isGreaterThan(one.blockEnd());
        assertThat(holders()).containsExactly("a:2", "b:1");
        assertThat(queue()).containsExactly("b:2");
    }

    @Test
    void aGrantToTheAskerIsFollowedByOthersThatFit() {
        take("a:1", 3);
        await("b:1", 1);
        await("a:2", 1);
        await("b:2", 1);
        end("a:1");
        Acquired asked = acquire("b:1", of(1));
        assertThat(asked.verdict()).isEqualTo(Verdict.GRANTED);
        assertThat(asked.remainingMillis()).as("nothing is left to do").isZero();
        assertThat(a.nextGrant().request()).isEqualTo("a:2");
        assertThat(b.nextGrant().request()).isEqualTo("b:2");
        assertThat(queue()).isEmpty();
    }

    @Test
    void readersShareAndAWriterExcludes() {
        Acquired reader = take("a:1", Share.READ);
        take("b:1", Share.READ);
        await("a:2", Share.WRITE);
        await("b:2", Share.READ);
        assertThat(fields(READ_WRITE))
                .containsEntry("capacity", "" + Integer.MAX_VALUE)
                .containsEntry("used", "2")
                .containsEntry("q1", fields(READ_WRITE).get("q1").replaceFirst("0/\\d+", "0/" + Integer.MAX_VALUE));
        withdrawReader("a:1", reader);
        withdrawReader("b:1", reader);
        Grant writer = a.nextGrant();
        assertThat(writer.kind()).isEqualTo(LockKind.READ_WRITE);
        assertThat(fields(READ_WRITE))
                .containsEntry("used", "" + Integer.MAX_VALUE)
                .containsEntry("all", "" + writer.blockEnd());
        withdrawReader("a:2", reader);
        assertThat(b.nextGrant().request()).isEqualTo("b:2");
        assertThat(fields(READ_WRITE)).containsEntry("all", "" + writer.blockEnd());
    }

    private void withdrawReader(String request, Acquired reader) {
        a.ask(
                new Command.Withdraw(
                        LOCK,
                        request,
                        0,
                        new HeldShare(Share.READ, reader.share().blockEnd(), 0)),
                Reply.Withdrawn.class);
    }

    @Test
    void kindsOfOneNameHaveNothingToDoWithEachOther() {
        take("a:1", 3);
        take("a:2", Share.WRITE);
        assertThat(b.acquire(LOCK, "b:1").verdict()).isEqualTo(Verdict.GRANTED);
        assertThat((List<?>) redis.command("KEYS", "*")).hasSize(3);
    }

    // ================================================================ the head of the queue

    @Test
    void aHeadThatDoesNotListenIsDroppedEvenIfItDoesNotFit() {
        take("a:1", 2);
        await("dead:1", 2);
        await("dead:2", 2);
        assertThat(take("b:1", 1).known()).isFalse();
        assertThat(queue()).isEmpty();
        assertThat(fields()).doesNotContainKey("blocker");
    }

    @Test
    void theClientOfALargeHeadIsRemembered() {
        take("a:1", 2);
        await("b:1", 3);
        long seen = await("a:2", 1).server().millis();
        assertThat(fields()).containsEntry("blocker", seen + " b");
    }

    @Test
    void aClientThatIsSilentFor15SecondsLosesItsPlaces() {
        take("a:1", 2);
        await("b:1", 3);
        await("a:2", 1);
        await("b:2", 1);
        long asked = Long.parseLong(fields().get("blocker").split(" ")[0]);
        set("blocker", (asked - LockBackend.SILENCE_MILLIS) + " b");
        nudge();
        assertThat(a.nextGrant().request()).isEqualTo("a:2");
        assertThat(queue()).isEmpty();
    }

    @Test
    void aSilentClientThatAsksAgainKeepsItsPlaces() {
        take("a:1", 2);
        await("b:1", 3);
        await("b:2", 1);
        set("blocker", "1 b");
        long asked = await("b:2", 1).server().millis();
        assertThat(fields()).containsEntry("blocker", asked + " b");
        nudge();
        assertThat(queue()).containsExactly("b:1", "b:2");
    }

    // ================================================================ claims that lapse

    @Test
    void aLapsedClaimDropsAllRequestsOfItsClient() {
        Acquired first = take("a:1", 3);
        await("b:1", 2);
        await("b:2", 2);
        await("a:2", 2);
        await("b:3", 1);
        await("a:3", 2);
        release("a:1", first);
        assertThat(b.nextGrant().request()).isEqualTo("b:1");
        end("b:1");
        Acquired asked = await("a:4", 3);
        long now = asked.server().millis();
        assertThat(asked.position()).as("behind the mark of b").isEqualTo(3);
        assertThat(a.nextGrant().request()).isEqualTo("a:2");
        assertThat(queue()).containsExactly("a:3", "a:4");
        assertThat(fields())
                .containsEntry("gone:b", "6")
                .containsEntry("q6", "- 0 " + now + " b")
                .containsEntry("lapsed", (now + LockBackend.SHORT_CLAIMS_LAST_MILLIS) + " " + now + " 6");
        assertThat(attempt("b:2", 1).known()).isFalse();
    }

    @Test
    void aFirstShortClaimMovesItsRequestToTheEndOnce() {
        Acquired first = take("a:1", 3);
        await("b:1", 3);
        await("b:2", 3);
        await("a:2", 3);
        long now = release("a:1", first).server().millis();
        assertThat(b.nextGrant().leaseMillis()).isEqualTo(LockBackend.CLAIM_MILLIS);
        end("b:1");
        nudge();
        assertThat(a.nextGrant().leaseMillis()).isEqualTo(LockBackend.SHORT_CLAIM_MILLIS);
        String entered = entry("a:2")[CLAIM].substring(2);
        assertThat(entry("a:2")[CLAIM]).startsWith("0/");
        assertThat(Long.parseLong(entered)).isLessThanOrEqualTo(now);
        await("b:3", 3);
        end("a:2");
        nudge();
        assertThat(b.nextGrant().request()).isEqualTo("b:3");
        assertThat(queue()).containsExactly("a:2");
        assertThat(fields()).containsEntry("late:a", "1");
        assertThat(fields().get("q" + field("ra:2"))).isEqualTo(Client.LEASE + "* 0/3 " + entered + " a:2");
        withdraw("b:3");
        assertThat(a.nextGrant().request()).isEqualTo("a:2");
        assertThat(entry("a:2")[CLAIM]).isEqualTo("2");
        assertThat(fields()).doesNotContainKey("late:a");
    }

    @Test
    void severalClaimsOfOneClientLeaveOneMark() {
        Acquired first = take("a:1", 3);
        await("b:1", 1);
        await("b:2", 1);
        await("b:3", 1);
        await("a:2", 3);
        await("b:4", 1);
        release("a:1", first);
        for (int i = 1; i <= 3; i++) {
            assertThat(b.nextGrant().request()).isEqualTo("b:" + i);
            end("b:" + i);
        }
        nudge();
        assertThat(a.nextGrant().request()).isEqualTo("a:2");
        assertThat(queue()).isEmpty();
    }

    @Test
    void aRequestOfADroppedClientCanEnterAgainInTheSameCall() {
        take("a:1", 3);
        await("b:1", 3);
        withdraw("a:1");
        b.nextGrant();
        await("a:2", 2);
        end("b:1");
        Acquired again = acquire("b:2", of(2));
        assertThat(a.nextGrant().request()).isEqualTo("a:2");
        assertThat(again.verdict()).isEqualTo(Verdict.QUEUED);
        assertThat(queue()).containsExactly("b:2");
    }
}
