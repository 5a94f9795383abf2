// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.spi.IdleLife;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.LockFreed;
import io.boltwork.spi.Reply.Acquired;
import io.boltwork.spi.Reply.Failed;
import io.boltwork.spi.Reply.Forced;
import io.boltwork.spi.Reply.Raised;
import io.boltwork.spi.Reply.Release;
import io.boltwork.spi.Reply.Released;
import io.boltwork.spi.Reply.Renewal;
import io.boltwork.spi.Reply.Verdict;
import io.boltwork.spi.VoteCommand.GiveBack;
import io.boltwork.spi.VoteCommand.Raise;
import io.boltwork.spi.VoteCommand.Vote;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class VoteScriptTest extends ScriptTest {

    @AfterEach
    void leavesNoNoticeUnread() {
        redis.command("CONFIG", "SET", "maxmemory", "0");
        redis.command("PING");
        assertThat(a.freed).as("notices that a test did not expect").isEmpty();
        assertThat(b.freed).as("notices that a test did not expect").isEmpty();
    }

    private Acquired vote(Client client, String request) {
        return client.ask(new Vote(LOCK, request, Client.LEASE, 0, Client.NEVER, true), Acquired.class);
    }

    private Acquired tryVote(Client client, String request) {
        return client.ask(new Vote(LOCK, request, Client.LEASE, 0, Client.NEVER, false), Acquired.class);
    }

    private boolean raise(String request, long first, long last) {
        return a.ask(new Raise(LOCK, request, first, last), Raised.class).accepted();
    }

    private Released giveBack(String request, long first, long last, long blockEnd) {
        return a.ask(new GiveBack(LOCK, request, first, last, blockEnd, 0), Released.class);
    }

    private CommandStats stats(Runnable command) {
        return CallCost.of(redis, command).commands();
    }

    @Test
    void aFreeServerVotes() {
        Acquired granted = vote(a, "a:1");

        assertThat(granted.verdict()).isEqualTo(Verdict.GRANTED);
        assertThat(granted.owner()).isEqualTo("a:1");
        assertThat(granted.known()).isFalse();
        assertThat(granted.token() / 1_000).isEqualTo(granted.server().millis());
        long until = granted.server().millis() + Client.LEASE;
        assertThat(fields())
                .isEqualTo(Map.of(
                        "owner",
                        "a:1",
                        "token",
                        "" + granted.token(),
                        "until",
                        "" + until,
                        "claim",
                        "",
                        "fence",
                        "" + (granted.token() + BLOCK - 1),
                        "x",
                        "" + (until + IdleLife.DEFAULT.toMillis())));
    }

    @Test
    void aVoteThatIsAskedForAgainIsTheSame() {
        Acquired granted = vote(a, "a:1");
        set("until", field("until") - 1_000);
        Acquired again = vote(a, "a:1");
        assertThat(again.verdict()).isEqualTo(Verdict.GRANTED);
        assertThat(again.token()).isEqualTo(granted.token());
        assertThat(again.known()).isTrue();
        assertThat(field("until")).isEqualTo(again.server().millis() + Client.LEASE);
        a.ask(new Vote(LOCK, "a:1", 1, 0, Client.NEVER, false), Acquired.class);
        assertThat(field("until"))
                .as("never shortened")
                .isGreaterThan(again.server().millis() + Client.LEASE - 1);
        endLease();
        Acquired late = vote(a, "a:1");
        assertThat(late.known()).isTrue();
        assertThat(late.token()).as("a new vote").isGreaterThan(granted.token() + BLOCK - 1);
    }

    @Test
    void aStaleVoteChangesNothing() {
        Vote stale = new Vote(LOCK, "b:1", Client.LEASE, 0, 1, true);
        assertThat(b.ask(stale, Acquired.class).verdict()).isEqualTo(Verdict.STALE);
        assertThat(fields()).isEmpty();
        vote(a, "a:1");
        Map<String, String> before = fields();
        Acquired answer = b.ask(stale, Acquired.class);
        assertThat(answer.verdict()).isEqualTo(Verdict.STALE);
        assertThat(answer.owner()).isEqualTo("a:1");
        assertThat(answer.known()).isFalse();
        assertThat(a.ask(new Vote(LOCK, "a:1", Client.LEASE, 0, 1, true), Acquired.class)
                        .known())
                .isTrue();
        assertThat(fields()).isEqualTo(before);
    }

    @Test
    void aRefusedVoteWatchesAndIsTold() {
        long token = vote(a, "a:1").token();
        Acquired refused = vote(b, "b:1");
        assertThat(refused.verdict()).isEqualTo(Verdict.REFUSED);
        assertThat(refused.owner()).isEqualTo("a:1");
        assertThat(refused.remainingMillis())
                .isEqualTo(field("until") - refused.server().millis());
        assertThat(fields()).containsEntry("watchers", "b " + (refused.server().millis() + LockBackend.WATCH_MILLIS));
        Released released = giveBack("a:1", token, token, 0);
        assertThat(released.outcome()).isEqualTo(Release.RELEASED);
        assertThat(Client.next(b.freed)).isEqualTo(new LockFreed(LOCK, released.server()));
        assertThat(fields()).doesNotContainKey("watchers");
    }

    @Test
    void aRefusedVoteThatDoesNotWatchIsNotTold() {
        long token = vote(a, "a:1").token();
        tryVote(b, "b:1");
        assertThat(fields()).doesNotContainKey("watchers");
        giveBack("a:1", token, token, 0);
    }

    @Test
    void watchersThatHaveExpiredAreNotTold() {
        long token = vote(a, "a:1").token();
        set("watchers", "b 1 a 9999999999999");
        giveBack("a:1", token, token, 0);
        assertThat(Client.next(a.freed).lock()).isEqualTo(LOCK);
    }

    @Test
    void onlyTheFirstWatchersAreToldAndForgotten() {
        long token = vote(a, "a:1").token();
        for (int i = 0; i < LockBackend.WATCHERS + 2; i++) {
            tryVote(a, "other" + i + ":1");
            vote(a, "other" + i + ":1");
        }
        assertThat(fields().get("watchers").split(" ")).hasSize(2 * LockBackend.WATCHERS);
        CommandStats stats = stats(() -> giveBack("a:1", token, token, 0));
        assertThat(stats.published()).isEqualTo(LockBackend.WATCHERS_TOLD);
        assertThat(fields().get("watchers"))
                .startsWith("other" + LockBackend.WATCHERS_TOLD + " ")
                .contains("other63 ")
                .doesNotContain("other64 ");
    }

    @Test
    void aForceReleaseTellsWatchers() {
        vote(a, "a:1");
        vote(b, "b:1");
        Forced forced = b.force(LOCK, 0);
        assertThat(Client.next(b.freed)).isEqualTo(new LockFreed(LOCK, forced.server()));
        assertThat(Client.next(a.takings).request()).isEqualTo("a:1");
        vote(a, "a:2");
        vote(b, "b:2");
        assertThat(b.force(LOCK, 1).released()).isFalse();
        assertThat(fields()).as("nothing was taken").containsKey("watchers");
    }

    @Test
    void aVoteIsRefusedWhileRequestsWait() {
        vote(a, "a:1");
        b.acquire(LOCK, "b:1");
        endLease();
        Acquired refused = vote(a, "a:2");
        assertThat(refused.verdict()).isEqualTo(Verdict.REFUSED);
        assertThat(refused.remainingMillis()).isZero();
        assertThat(refused.owner()).isNull();
        assertThat(a.waiting(LOCK)).containsExactly("b:1");
    }

    @Test
    void theFenceIsRaisedOnlyWhereTheVoteStands() {
        long token = vote(a, "a:1").token();
        long end = token + 5 * BLOCK;
        assertThat(raise("a:1", token + 1, end)).isFalse();
        assertThat(raise("b:1", token, end)).isFalse();
        assertThat(field("fence")).isEqualTo(token + BLOCK - 1);
        assertThat(raise("a:1", token, end)).isTrue();
        assertThat(field("fence")).isEqualTo(end);
        assertThat(raise("a:1", token, end - 1)).as("the fence is high enough").isTrue();
        assertThat(field("fence")).isEqualTo(end);
        redis.command("FLUSHALL");
        assertThat(raise("a:1", token, end)).isFalse();
        assertThat(fields()).isEmpty();
    }

    @Test
    void aVoteGivenBackLowersTheFenceOnlyIfItIsItsOwn() {
        long token = vote(a, "a:1").token();
        giveBack("a:1", token, token + 7, 0);
        assertThat(field("fence")).as("the block of the vote").isEqualTo(token + 7);

        long second = vote(a, "a:2").token();
        long end = second + 5 * BLOCK;
        raise("a:2", second, end);
        giveBack("a:2", second, second, end);
        assertThat(field("fence")).as("the agreed block").isEqualTo(second);

        long third = vote(a, "a:3").token();
        raise("a:3", third, third + 5 * BLOCK);
        giveBack("a:3", third, third, third + 6 * BLOCK);
        assertThat(field("fence")).as("of another").isEqualTo(third + 5 * BLOCK);

        long fourth = vote(a, "a:4").token();
        giveBack("a:4", 0, 0, 0);
        assertThat(field("fence")).as("of a vote whose answer was lost").isEqualTo(fourth + BLOCK - 1);
        assertThat(fields()).containsEntry("owner", "");
    }

    @Test
    void aVoteThatWasForgottenIsNotRestoredAfterItsRelease() {
        long token = vote(a, "a:1").token();
        redis.command("FLUSHALL");
        Released forgotten = giveBack("a:1", token, token, 0);
        assertThat(forgotten.outcome()).isEqualTo(Release.FORGOTTEN);
        assertThat(forgotten.owner()).isNull();
        assertThat(a.restore(LOCK, "a:1", token).outcome()).isEqualTo(Renewal.LOST);
        assertThat((Long) redis.command("PTTL", KEY)).isPositive();
    }

    @Test
    void aVoteOfAnotherIsNotGivenBack() {
        long token = vote(a, "a:1").token();
        Released released = giveBack("b:1", token, token, 0);
        assertThat(released.outcome()).isEqualTo(Release.NOT_HELD);
        assertThat(released.owner()).isEqualTo("a:1");
        assertThat(giveBack("b:1", 0, 0, 0).outcome()).isEqualTo(Release.NOT_HELD);
        assertThat(fields()).containsEntry("owner", "a:1");
        redis.command("FLUSHALL");
        assertThat(giveBack("b:1", 0, 0, 0).outcome()).isEqualTo(Release.NOT_HELD);
        assertThat(fields()).isEmpty();
    }

    @Test
    void aServerKeepsItsVoteForTheKeepTime() {
        long token = vote(a, "a:1").token();
        Released released = a.ask(new GiveBack(LOCK, "a:1", token, token, 0, 5_000), Released.class);
        assertThat(released.owner()).isNull();
        Acquired refused = tryVote(b, "b:1");
        assertThat(refused.verdict()).isEqualTo(Verdict.REFUSED);
        assertThat(refused.owner()).isNull();
        assertThat(refused.remainingMillis())
                .isEqualTo(released.server().millis() + 5_000 - refused.server().millis());
        endLease();
        assertThat(tryVote(b, "b:1").verdict()).isEqualTo(Verdict.GRANTED);
    }

    @Test
    void votesNeedFewCommands() {
        long token = vote(a, "a:0").token();
        a.ask(new Raise(LOCK, "a:0", token, token + 5 * BLOCK), Raised.class);
        giveBack("a:0", token, token, token + 5 * BLOCK); // so that the scripts are loaded
        Acquired[] granted = new Acquired[1];
        Map<String, Long> vote = stats(() -> granted[0] = vote(a, "a:1")).calls();
        assertThat(vote).isEqualTo(Map.of("evalsha", 1L, "time", 1L, "hmget", 1L, "hset", 1L));
        long first = granted[0].token();
        long end = first + 2 * BLOCK;
        assertThat(stats(() -> tryVote(b, "b:1")).calls())
                .as("a refused vote")
                .isEqualTo(Map.of("evalsha", 1L, "time", 1L, "hmget", 1L));
        assertThat(stats(() -> raise("a:1", first, end)).calls())
                .isEqualTo(Map.of("evalsha", 1L, "time", 1L, "hmget", 1L, "hset", 1L));
        assertThat(stats(() -> giveBack("a:1", first, first, end)).calls())
                .isEqualTo(Map.of("evalsha", 1L, "time", 1L, "hmget", 1L, "hset", 1L));
        set("x", 1);
        assertThat(stats(() -> vote(a, "a:2")).calls())
                .as("with an expiry that is due")
                .isEqualTo(Map.of("evalsha", 1L, "time", 1L, "hmget", 1L, "hset", 1L, "pexpire", 1L));
        assertThat(stats(() -> vote(b, "b:1")).calls())
                .as("a refused vote that watches")
                .isEqualTo(Map.of("evalsha", 1L, "time", 1L, "hmget", 1L, "hset", 1L));
    }

    @Test
    void votesAreGivenBackThoughMemoryIsFull() {
        long token = vote(a, "a:1").token();
        vote(b, "b:1");
        redis.command("CONFIG", "SET", "maxmemory", "1");
        assertThat(b.ask(new Vote(LOCK + 2, "b:1", 1, 0, Client.NEVER, false), Failed.class)
                        .executed())
                .isFalse();
        assertThat(vote(a, "a:1").verdict()).as("a repetition").isEqualTo(Verdict.GRANTED);
        assertThat(raise("a:1", token, token + 5 * BLOCK)).isTrue();
        assertThat(giveBack("a:1", token, token, token + 5 * BLOCK).outcome()).isEqualTo(Release.RELEASED);
        assertThat(Client.next(b.freed).lock()).isEqualTo(LOCK);
    }

    @Test
    void aKeyOfAnotherTypeIsNamed() {
        redis.command("SET", KEY, "not a lock");
        for (var command : List.of(
                new Vote(LOCK, "a:1", 1, 0, Client.NEVER, true),
                new Raise(LOCK, "a:1", 1, 2),
                new GiveBack(LOCK, "a:1", 1, 1, 0, 0))) {
            Failed failed = a.ask(command, Failed.class);
            assertThat(failed.executed()).isFalse();
            assertThat(failed.cause()).hasMessageContaining(KEY);
            assertThat(failed.cause().isRetryable()).isFalse();
        }
        assertThat(redis.command("GET", KEY)).isEqualTo("not a lock");
    }
}
