// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.spi.Command;
import io.boltwork.spi.Grant;
import io.boltwork.spi.IdleLife;
import io.boltwork.spi.Reply.Acquired;
import io.boltwork.spi.Reply.Verdict;
import java.util.Map;
import org.junit.jupiter.api.Test;

class AcquireScriptTest extends ScriptTest {

    @Test
    void aFreeLockIsGranted() {
        Acquired granted = a.acquire(LOCK, "a:1");

        assertThat(granted.verdict()).isEqualTo(Verdict.GRANTED);
        assertThat(granted.owner()).isEqualTo("a:1");
        assertThat(granted.known()).isFalse();
        assertThat(granted.token() / 1_000)
                .as("microseconds since the epoch")
                .isEqualTo(granted.server().millis());
        assertThat(fields())
                .containsEntry("owner", "a:1")
                .containsEntry("token", "" + granted.token())
                .containsEntry("until", "" + (granted.server().millis() + Client.LEASE))
                .containsEntry("fence", "" + (granted.token() + BLOCK - 1))
                .containsEntry("x", "" + (granted.server().millis() + Client.LEASE + IdleLife.DEFAULT.toMillis()))
                .hasSize(5);
    }

    @Test
    void aGrantClearsTheClaimOfAnEarlierOwner() {
        set("fence", 7);
        set("claim", 1);
        a.acquire(LOCK, "a:1");
        assertThat(fields()).containsEntry("claim", "");
    }

    @Test
    void theTakeoverDelayKeepsTheLockClosedLonger() {
        Acquired granted =
                a.ask(new Command.Acquire(LOCK, "a:1", true, Client.LEASE, 5_000, Client.NEVER), Acquired.class);
        assertThat(field("until")).isEqualTo(granted.server().millis() + Client.LEASE + 5_000);

        Acquired again =
                a.ask(new Command.Acquire(LOCK, "a:1", true, Client.LEASE, 9_000, Client.NEVER), Acquired.class);
        assertThat(field("until")).isEqualTo(again.server().millis() + Client.LEASE + 9_000);
    }

    @Test
    void aTokenFollowsAFenceThatIsAheadOfTheClock() {
        set("fence", 8_000_000_000_000_000L);
        assertThat(a.acquire(LOCK, "a:1").token()).isEqualTo(8_000_000_000_000_001L);
        assertThat(field("fence")).isEqualTo(8_000_000_000_001_000L);
    }

    @Test
    void theOwnerFindsItsGrantAgain() {
        Acquired granted = a.acquire(LOCK, "a:1");
        Acquired again = a.acquire(LOCK, "a:1");

        assertThat(again.verdict()).isEqualTo(Verdict.GRANTED);
        assertThat(again.token()).isEqualTo(granted.token());
        assertThat(again.known()).isTrue();
        assertThat(field("until")).isEqualTo(again.server().millis() + Client.LEASE);
    }

    @Test
    void aRepetitionNeverShortensTheLease() {
        a.acquire(LOCK, "a:1");
        long until = field("until");
        a.ask(new Command.Acquire(LOCK, "a:1", true, 1_000, 0, Client.NEVER), Acquired.class);
        assertThat(field("until")).isEqualTo(until);
    }

    @Test
    void anOwnerWhoseLeaseHasEndedGetsANewToken() {
        Acquired granted = a.acquire(LOCK, "a:1");
        endLease();
        Acquired again = a.acquire(LOCK, "a:1");
        assertThat(again.verdict()).isEqualTo(Verdict.GRANTED);
        assertThat(again.known()).isTrue();
        assertThat(again.token()).isGreaterThan(granted.token() + BLOCK - 1);
    }

    @Test
    void anOwnerWhoseLeaseHasEndedIsServedBeforeTheQueue() {
        Acquired granted = a.acquire(LOCK, "a:1");
        b.acquire(LOCK, "b:1");
        endLease();
        Acquired again = a.acquire(LOCK, "a:1");
        assertThat(again.verdict()).isEqualTo(Verdict.GRANTED);
        assertThat(again.token()).isGreaterThan(granted.token());
        assertThat(queue()).containsExactly("b:1");
    }

    @Test
    void aRequestForATakenLockIsQueuedOnce() {
        a.acquire(LOCK, "a:1");
        Acquired queued = b.acquire(LOCK, "b:1");
        assertThat(queued.verdict()).isEqualTo(Verdict.QUEUED);
        assertThat(queued.known()).isFalse();
        assertThat(queued.position()).isEqualTo(1);
        assertThat(queued.owner()).isEqualTo("a:1");
        assertThat(queued.token()).isZero();
        assertThat(queued.remainingMillis())
                .isEqualTo(field("until") - queued.server().millis());

        Acquired again = b.acquire(LOCK, "b:1");
        assertThat(again.verdict()).isEqualTo(Verdict.QUEUED);
        assertThat(again.known()).isTrue();
        assertThat(again.position()).isEqualTo(1);
        assertThat(b.acquire(LOCK, "b:2").position()).isEqualTo(2);
        assertThat(queue()).containsExactly("b:1", "b:2");
    }

    @Test
    void aTryIsRefusedAndDoesNotQueue() {
        a.acquire(LOCK, "a:1");
        Acquired refused = b.tryAcquire(LOCK, "b:1");
        assertThat(refused.verdict()).isEqualTo(Verdict.REFUSED);
        assertThat(refused.owner()).isEqualTo("a:1");
        assertThat(refused.remainingMillis())
                .isEqualTo(field("until") - refused.server().millis());
        assertThat(refused.position()).isZero();
        assertThat(queue()).isEmpty();
    }

    @Test
    void aStaleRequestChangesNothing() {
        Command.Acquire stale = new Command.Acquire(LOCK, "b:1", true, Client.LEASE, 0, 1);
        Acquired onNothing = b.ask(stale, Acquired.class);
        assertThat(onNothing.verdict()).isEqualTo(Verdict.STALE);
        assertThat(onNothing.known()).isFalse();
        assertThat(onNothing.owner()).isNull();
        assertThat(fields()).isEmpty();

        a.acquire(LOCK, "a:1");
        b.acquire(LOCK, "b:1");
        Map<String, String> before = fields();
        Acquired inQueue = b.ask(stale, Acquired.class);
        assertThat(inQueue.verdict()).isEqualTo(Verdict.STALE);
        assertThat(inQueue.known()).isTrue();
        assertThat(inQueue.owner()).isEqualTo("a:1");
        Acquired owning = a.ask(new Command.Acquire(LOCK, "a:1", true, Client.LEASE, 0, 1), Acquired.class);
        assertThat(owning.verdict()).isEqualTo(Verdict.STALE);
        assertThat(owning.known()).isTrue();
        assertThat(b.ask(new Command.Acquire(LOCK, "b:9", true, Client.LEASE, 0, 1), Acquired.class)
                        .known())
                .isFalse();
        assertThat(fields()).isEqualTo(before);
    }

    @Test
    void aLeaseThatRanOutDoesNotBlockOthers() {
        long token = a.acquire(LOCK, "a:1").token();
        endLease();
        Acquired granted = b.tryAcquire(LOCK, "b:1");
        assertThat(granted.verdict()).isEqualTo(Verdict.GRANTED);
        assertThat(granted.known()).isFalse();
        assertThat(granted.token()).isGreaterThan(token + BLOCK - 1);
    }

    @Test
    void aFreeLockGoesToTheHeadOfTheQueueFirst() {
        a.acquire(LOCK, "a:1");
        a.ask(new Command.Acquire(LOCK, "a:2", true, 1_500, 700, Client.NEVER), Acquired.class);
        endLease();

        Acquired queued = b.acquire(LOCK, "b:1");
        assertThat(queued.verdict()).isEqualTo(Verdict.QUEUED);
        assertThat(queued.owner()).isEqualTo("a:2");
        assertThat(queued.position()).isEqualTo(1);
        assertThat(queued.remainingMillis()).as("claim and takeover delay").isEqualTo(1_500 + 700);

        Grant grant = a.nextGrant();
        assertThat(grant.lock()).isEqualTo(LOCK);
        assertThat(grant.request()).isEqualTo("a:2");
        assertThat(grant.token()).isEqualTo(field("token"));
        assertThat(grant.leaseMillis()).isEqualTo(1_500);
        assertThat(grant.server()).isEqualTo(queued.server());
        assertThat(fields()).containsEntry("claim", "1").containsEntry("owner", "a:2");
        assertThat(queue()).containsExactly("b:1");
    }

    @Test
    void aTryAlsoGrantsTheLockToTheHeadOfTheQueue() {
        a.acquire(LOCK, "a:1");
        a.acquire(LOCK, "a:2");
        endLease();
        Acquired refused = b.tryAcquire(LOCK, "b:1");
        assertThat(refused.verdict()).isEqualTo(Verdict.REFUSED);
        assertThat(refused.owner()).isEqualTo("a:2");
        assertThat(refused.remainingMillis()).isEqualTo(3_000);
        assertThat(a.nextGrant().leaseMillis()).isEqualTo(3_000);
        assertThat(queue()).isEmpty();
    }

    @Test
    void theHeadOfTheQueueIsGrantedInTheAnswerIfItAsks() {
        a.acquire(LOCK, "a:1");
        b.acquire(LOCK, "b:1");
        b.acquire(LOCK, "b:2");
        endLease();
        Acquired granted = b.acquire(LOCK, "b:1");
        assertThat(granted.verdict()).isEqualTo(Verdict.GRANTED);
        assertThat(granted.known()).isTrue();
        assertThat(fields()).containsEntry("claim", "");
        assertThat(field("until")).isEqualTo(granted.server().millis() + Client.LEASE);
        assertThat(queue()).containsExactly("b:2");
    }

    @Test
    void waitersThatDoNotListenAreSkippedAndRemoved() {
        a.acquire(LOCK, "a:1");
        a.acquire(LOCK, "dead:1");
        a.acquire(LOCK, "dead:2");
        a.acquire(LOCK, "gone:1");
        b.acquire(LOCK, "b:1");
        endLease();
        assertThat(a.tryAcquire(LOCK, "a:2").owner()).isEqualTo("b:1");
        assertThat(b.nextGrant().request()).isEqualTo("b:1");
        assertThat(queue()).isEmpty();
    }

    @Test
    void theAskerIsGrantedIfNoWaiterListens() {
        a.acquire(LOCK, "a:1");
        a.acquire(LOCK, "dead:1");
        a.acquire(LOCK, "dead:2");
        endLease();
        assertThat(b.tryAcquire(LOCK, "b:1").verdict()).isEqualTo(Verdict.GRANTED);
        assertThat(queue()).isEmpty();
    }

    @Test
    void aQueuedAskerIsGrantedIfNoWaiterBeforeItListens() {
        a.acquire(LOCK, "a:1");
        a.acquire(LOCK, "dead:1");
        b.acquire(LOCK, "b:1");
        endLease();
        Acquired granted = b.acquire(LOCK, "b:1");
        assertThat(granted.verdict()).isEqualTo(Verdict.GRANTED);
        assertThat(granted.known()).isTrue();
        assertThat(queue()).isEmpty();
    }

    @Test
    void aClaimIsConfirmedByAsking() {
        long first = a.acquire(LOCK, "a:1").token();
        b.acquire(LOCK, "b:1");
        a.release(LOCK, "a:1", first);
        Grant grant = b.nextGrant();
        Acquired confirmed = b.acquire(LOCK, "b:1");
        assertThat(confirmed.verdict()).isEqualTo(Verdict.GRANTED);
        assertThat(confirmed.token()).isEqualTo(grant.token());
        assertThat(fields()).containsEntry("claim", "");
        assertThat(field("until")).isEqualTo(confirmed.server().millis() + Client.LEASE);
    }

    @Test
    void aRequestDroppedWithALapsedClaimIsNotKnown() {
        long token = a.acquire(LOCK, "a:1").token();
        b.acquire(LOCK, "b:1");
        b.acquire(LOCK, "b:2");
        a.release(LOCK, "a:1", token);
        assertThat(b.nextGrant().request()).isEqualTo("b:1"); // by message, so it is a claim
        endLease();
        assertThat(b.acquire(LOCK, "b:2").known()).isFalse();
    }

    @Test
    void aLapsedClaimDropsAllRequestsOfItsClient() {
        long token = a.acquire(LOCK, "a:1").token();
        b.acquire(LOCK, "b:1");
        b.acquire(LOCK, "b:2");
        a.acquire(LOCK, "a:2");
        b.acquire(LOCK, "b:3");
        a.acquire(LOCK, "a:3");
        b.acquire(LOCK, "b:4");
        a.release(LOCK, "a:1", token);
        assertThat(b.nextGrant().request()).isEqualTo("b:1");
        endLease();

        Acquired asked = a.acquire(LOCK, "a:3");
        assertThat(asked.owner()).isEqualTo("a:2");
        assertThat(asked.position()).isEqualTo(1);
        assertThat(a.nextGrant().request()).isEqualTo("a:2");
        assertThat(queue()).containsExactly("a:3");
        assertThat(b.acquire(LOCK, "b:2").known()).isFalse();
    }

    @Test
    void aConfirmedLeaseThatRunsOutLeavesTheQueueAlone() {
        long token = a.acquire(LOCK, "a:1").token();
        b.acquire(LOCK, "b:1");
        b.acquire(LOCK, "b:2");
        a.release(LOCK, "a:1", token);
        b.renew(LOCK, "b:1", b.nextGrant().token(), Client.LEASE);
        endLease();
        assertThat(a.tryAcquire(LOCK, "a:2").owner()).isEqualTo("b:2");
        assertThat(b.nextGrant().request()).isEqualTo("b:2");
    }

    @Test
    void aRequestThatBecomesTheOwnerLeavesTheQueue() {
        long token = a.acquire(LOCK, "a:1").token();
        b.acquire(LOCK, "b:1");
        set("owner", "b:1"); // as if a late acquire had run
        assertThat(b.acquire(LOCK, "b:1").token()).isEqualTo(token);
        assertThat(queue()).isEmpty();
    }
}
