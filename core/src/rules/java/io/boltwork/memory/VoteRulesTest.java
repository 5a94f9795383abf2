// SPDX-License-Identifier: Apache-2.0
package io.boltwork.memory;

import static io.boltwork.memory.Scene.BLOCK;
import static io.boltwork.memory.Scene.LEASE;
import static io.boltwork.memory.Scene.LOCK;
import static io.boltwork.memory.Scene.NEVER;
import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.spi.BackendListener;
import io.boltwork.spi.Grant;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.LockFreed;
import io.boltwork.spi.Reply.Acquired;
import io.boltwork.spi.Reply.Release;
import io.boltwork.spi.Reply.Released;
import io.boltwork.spi.Reply.Renewal;
import io.boltwork.spi.Reply.Verdict;
import io.boltwork.spi.ServerTime;
import io.boltwork.spi.VoteCommand.GiveBack;
import io.boltwork.spi.VoteCommand.Raise;
import io.boltwork.spi.VoteCommand.Vote;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The rules of the votes of one server of a quorum. Each test is the trace that goes wrong without its rule. */
class VoteRulesTest {
    private final Scene scene = new Scene();
    private final List<String> told = new ArrayList<>();

    private Acquired vote(String request) {
        return scene.server.execute(new Vote(LOCK, request, LEASE, 0, NEVER, true));
    }

    /** Asks for a vote and returns its first token. */
    private long voted(String request) {
        Acquired answer = vote(request);
        assertThat(answer.verdict()).isEqualTo(Verdict.GRANTED);
        return answer.token();
    }

    private Acquired refused(String request) {
        Acquired answer = vote(request);
        assertThat(answer.verdict()).isEqualTo(Verdict.REFUSED);
        return answer;
    }

    private boolean raise(String request, long first, long last) {
        return scene.server.execute(new Raise(LOCK, request, first, last)).accepted();
    }

    private Released giveBack(String request, long first, long last, long blockEnd, long keep) {
        return scene.server.execute(new GiveBack(LOCK, request, first, last, blockEnd, keep));
    }

    private Release giveBack(String request, long first, long last, long blockEnd) {
        return giveBack(request, first, last, blockEnd, 0).outcome();
    }

    private long fence() {
        return scene.inspect().fence();
    }

    private void listen(String... clients) {
        for (String client : clients) {
            MemoryBackend.on(scene.server).open(client, new BackendListener() {
                @Override
                public void granted(Grant grant) {}

                @Override
                public void freed(LockFreed freed) {
                    assertThat(freed).isEqualTo(new LockFreed(LOCK, scene.server.time()));
                    told.add(client);
                }

                @Override
                public void connected(ServerTime server) {}

                @Override
                public void disconnected(Throwable cause) {}
            });
        }
    }

    @Test
    void aVoteIsIdempotent() {
        long token = voted("a:1");
        scene.pass(4_000);
        Acquired again = vote("a:1");
        assertThat(again.verdict()).isEqualTo(Verdict.GRANTED);
        assertThat(again.token()).isEqualTo(token);
        assertThat(again.known()).isTrue();
        assertThat(scene.inspect().untilMillis()).isEqualTo(scene.now() + LEASE);
        scene.server.execute(new Vote(LOCK, "a:1", 1, 0, NEVER, true));
        assertThat(scene.inspect().untilMillis()).as("never shortened").isEqualTo(scene.now() + LEASE);
        assertThat(fence()).isEqualTo(token + BLOCK - 1);
    }

    @Test
    void aVoteWhoseLeaseHasEndedIsANewOne() {
        long token = voted("a:1");
        scene.pass(LEASE);
        assertThat(voted("a:1")).isGreaterThan(token + BLOCK - 1);
    }

    @Test
    void theTakeoverDelayKeepsAVoteFromOthers() {
        scene.server.execute(new Vote(LOCK, "a:1", LEASE, 5_000, NEVER, true));
        scene.pass(LEASE);
        assertThat(refused("b:1").remainingMillis()).isEqualTo(5_000);
        scene.pass(5_000);
        voted("b:1");
    }

    @Test
    void aStaleVoteChangesNothing() {
        Acquired stale = scene.server.execute(new Vote(LOCK, "a:1", LEASE, 0, scene.now() - 1, true));
        assertThat(stale.verdict()).isEqualTo(Verdict.STALE);
        assertThat(scene.inspect().owner()).isNull();
        assertThat(scene.server
                        .execute(new Vote(LOCK, "a:1", LEASE, 0, scene.now(), true))
                        .verdict())
                .isEqualTo(Verdict.GRANTED);
    }

    @Test
    void aVoteIsNotQueuedAndDoesNotOvertakeTheQueue() {
        voted("a:1");
        assertThat(refused("b:1").owner()).isEqualTo("a:1");
        assertThat(scene.waiting()).isEmpty();
        scene.queue("c:1");
        scene.pass(LEASE);
        Acquired refused = refused("b:1");
        assertThat(refused.owner()).isNull();
        assertThat(refused.remainingMillis()).isZero();
    }

    @Test
    void aRefusedVoteWatchesInTheSameStep() {
        listen("b", "c");
        long token = voted("a:1");
        refused("b:1");
        scene.server.execute(new Vote(LOCK, "c:1", LEASE, 0, NEVER, false));
        giveBack("a:1", token, token, 0);
        assertThat(told).containsExactly("b");
        giveBack("a:1", token, token, 0);
        assertThat(told).as("forgotten when told").containsExactly("b");
    }

    @Test
    void aForceReleaseTellsWatchersIfItTakesTheVote() {
        listen("b");
        voted("a:1");
        refused("b:1");
        assertThat(scene.force(1)).isFalse();
        assertThat(told).isEmpty();
        assertThat(scene.force(0)).isTrue();
        assertThat(told).containsExactly("b");
    }

    @Test
    void aVoteGivenBackByAnotherTellsNone() {
        listen("b");
        long token = voted("a:1");
        refused("b:1");
        giveBack("c:1", token, token, 0);
        assertThat(told).isEmpty();
    }

    @Test
    void theFirstTwoWatchersAreToldTheOldestFirst() {
        listen("b1", "b2", "b3");
        long token = voted("a:1");
        for (int i = 1; i <= 3; i++) {
            refused("b" + i + ":1");
        }
        refused("b1:2"); // keeps its place
        giveBack("a:1", token, token, 0);
        assertThat(told).containsExactly("b1", "b2");
        long second = voted("a:2");
        giveBack("a:2", second, second, 0);
        assertThat(told).hasSize(3).endsWith("b3");
    }

    @Test
    void watchersExpire() {
        listen("b1", "b2", "b3", "b4", "b5", "b6", "b7", "b8", "b9", "c");
        scene.server.execute(new Vote(LOCK, "a:1", 60_000, 0, NEVER, true));
        for (int i = 1; i <= 9; i++) {
            refused("b" + i + ":1");
        }
        scene.pass(LockBackend.WATCH_MILLIS - 1);
        refused("b1:2");
        scene.pass(1);
        refused("c:1");
        giveBack("a:1", 0, 0, 0);
        assertThat(told).containsExactly("b1", "c");
    }

    @Test
    void theNumberOfWatchersIsBounded() {
        listen("c", "d");
        scene.server.execute(new Vote(LOCK, "a:1", 60_000, 0, NEVER, true));
        for (int i = 0; i < LockBackend.WATCHERS; i++) {
            refused("b" + i + ":1");
        }
        refused("c:1");
        scene.pass(LockBackend.WATCH_MILLIS);
        refused("d:1");
        giveBack("a:1", 0, 0, 0);
        assertThat(told).containsExactly("d");
    }

    @Test
    void theFenceIsRaisedOnlyWhereTheVoteStands() {
        long token = voted("a:1");
        long end = token + 5 * BLOCK;
        assertThat(raise("b:1", token, end)).isFalse();
        assertThat(raise("a:1", token + 1, end)).isFalse();
        assertThat(fence()).isEqualTo(token + BLOCK - 1);
        assertThat(raise("a:1", token, end)).isTrue();
        assertThat(fence()).isEqualTo(end);
        assertThat(raise("a:1", token, token)).as("never lowered").isTrue();
        assertThat(fence()).isEqualTo(end);
        scene.server.flush();
        assertThat(raise("a:1", token, end)).isFalse();
    }

    @Test
    void theNextProposalIsAboveTheAgreedBlock() {
        long token = voted("a:1");
        raise("a:1", token, token + 5 * BLOCK);
        scene.pass(LEASE);
        scene.pass(-LEASE - 1);
        scene.force(0);
        assertThat(voted("b:1")).isGreaterThan(token + 5 * BLOCK);
    }

    @Test
    void givingBackReturnsTheTokensThatWereNotUsed() {
        long token = voted("a:1");
        assertThat(giveBack("a:1", token, token + 3, 0)).isEqualTo(Release.RELEASED);
        assertThat(fence()).as("the vote was not raised").isEqualTo(token + 3);

        long second = voted("a:2");
        assertThat(second).isEqualTo(token + 4);
        raise("a:2", second, second + 5 * BLOCK);
        giveBack("a:2", second, second + 7, second + 5 * BLOCK);
        assertThat(fence()).as("the vote was raised").isEqualTo(second + 7);
    }

    @Test
    void givingBackNeverLowersTheFenceOfAnother() {
        long token = voted("a:1");
        raise("a:1", token, token + 5 * BLOCK);
        giveBack("a:1", token, token, token + 4 * BLOCK);
        assertThat(fence()).as("raised by an unknown agreement").isEqualTo(token + 5 * BLOCK);

        long other = voted("b:1");
        assertThat(giveBack("a:1", token, token, token + 5 * BLOCK)).isEqualTo(Release.NOT_HELD);
        assertThat(fence()).as("late").isEqualTo(other + BLOCK - 1);

        giveBack("b:1", other + 1, other + 1, other + BLOCK - 1);
        assertThat(fence()).as("of another vote of that request").isEqualTo(other + BLOCK - 1);
    }

    @Test
    void aVoteWithoutAnAnswerIsGivenBackWithItsBlock() {
        long token = voted("a:1");
        assertThat(giveBack("a:1", 0, 0, 0)).isEqualTo(Release.RELEASED);
        assertThat(fence()).isEqualTo(token + BLOCK - 1);
        assertThat(scene.inspect().owner()).isNull();
    }

    @Test
    void theFenceStaysAtTheFirstTokenOfAVoteThatUsedNone() {
        long token = voted("a:1");
        giveBack("a:1", token, token, 0);
        assertThat(fence()).isEqualTo(token);
        assertThat(scene.restore("a:1", token)).as("a late restore").isEqualTo(Renewal.LOST);
        assertThat(voted("b:1")).isEqualTo(token + 1);
    }

    @Test
    void aForgottenVoteGivenBackIsNotRestored() {
        long token = voted("a:1");
        scene.server.flush();
        assertThat(giveBack("a:1", token, token, 0)).isEqualTo(Release.FORGOTTEN);
        assertThat(fence()).isEqualTo(token);
        assertThat(scene.restore("a:1", token)).isEqualTo(Renewal.LOST);
        assertThat(giveBack("a:1", token, token, 0)).isEqualTo(Release.NOT_HELD);
    }

    @Test
    void aRestoredVoteCountsAfterARaise() {
        long token = voted("a:1");
        raise("a:1", token, token + 5 * BLOCK);
        scene.server.flush();
        assertThat(scene.renew("a:1", token)).isEqualTo(Renewal.FORGOTTEN);
        assertThat(scene.restore("a:1", token)).isEqualTo(Renewal.OK);
        assertThat(fence()).as("the block of the vote only").isEqualTo(token + BLOCK - 1);
        assertThat(raise("a:1", token, token + 5 * BLOCK)).isTrue();
        assertThat(fence()).isEqualTo(token + 5 * BLOCK);
    }

    @Test
    void aVoteGivenBackEarlyIsKept() {
        long token = voted("a:1");
        assertThat(giveBack("a:1", token, token, 0, 3_000).owner()).isNull();
        Acquired refused = refused("b:1");
        assertThat(refused.owner()).isNull();
        assertThat(refused.remainingMillis()).isEqualTo(3_000);
        assertThat(giveBack("a:1", token, token, 0)).as("again").isEqualTo(Release.NOT_HELD);
        scene.pass(3_000);
        voted("b:1");
    }
}
