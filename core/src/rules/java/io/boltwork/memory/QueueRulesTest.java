// SPDX-License-Identifier: Apache-2.0
package io.boltwork.memory;

import static io.boltwork.memory.Scene.CLAIM;
import static io.boltwork.memory.Scene.LEASE;
import static io.boltwork.memory.Scene.NEVER;
import static io.boltwork.memory.Scene.wish;
import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.spi.Command;
import io.boltwork.spi.Grant;
import io.boltwork.spi.QueryReply.Inspected.Waiting;
import io.boltwork.spi.Reply.Acquired;
import io.boltwork.spi.Reply.Release;
import io.boltwork.spi.Reply.Released;
import io.boltwork.spi.Reply.Renewal;
import io.boltwork.spi.Reply.Verdict;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** The rules of the queue, of grants and of late commands. Each test is the trace that goes wrong without its rule. */
class QueueRulesTest {

    @Test
    void queueingIsIdempotentAndTellsTheRemainingTime() {
        Scene scene = new Scene();
        scene.hold("a:1");
        scene.pass(1_000);
        Acquired first = scene.acquire("b:1");
        assertThat(first)
                .isEqualTo(new Acquired(scene.server.time(), Verdict.QUEUED, 0, LEASE - 1_000, 1, false, "a:1"));
        assertThat(scene.acquire("c:1").position()).isEqualTo(2);
        Acquired again = scene.acquire("b:1");
        assertThat(again.position()).isEqualTo(1);
        assertThat(again.known()).isTrue();
        assertThat(scene.waiting()).containsExactly("b:1", "c:1");
    }

    @Test
    void anEntryRemembersWhenItEntered() {
        Scene scene = new Scene();
        scene.hold("a:1");
        long first = scene.now();
        scene.queue("b:1");
        scene.pass(5);
        scene.queue("c:1", "b:1"); // b:1 once more
        assertThat(scene.inspect().queue())
                .containsExactly(new Waiting("b:1", 1, first), new Waiting("c:1", 1, first + 5));
        scene.withdraw("b:1", 0);
        scene.pass(5);
        scene.queue("b:1");
        assertThat(scene.inspect().queue())
                .containsExactly(new Waiting("c:1", 1, first + 5), new Waiting("b:1", 1, first + 10));
    }

    @Test
    void aTryNeverPassesAQueue() {
        Scene scene = new Scene("a", "b");
        long token = scene.hold("a:1");
        scene.queue("b:1");
        scene.pass(LEASE);
        Acquired refused = scene.ask(new Command.Acquire(Scene.LOCK, "c:1", false, LEASE, 0, NEVER));
        assertThat(refused.verdict()).isEqualTo(Verdict.REFUSED);
        assertThat(refused.owner()).isEqualTo("b:1");
        assertThat(refused.remainingMillis()).isEqualTo(CLAIM);
        assertThat(scene.message().token()).isGreaterThan(token);
        assertThat(scene.waiting()).isEmpty();
    }

    @Test
    void positionIsAnUpperBoundThatCountsHoles() {
        Scene scene = new Scene();
        scene.hold("a:1");
        scene.queue("b:1", "c:1", "d:1", "e:1");
        scene.withdraw("c:1", 0);
        assertThat(scene.acquire("e:1").position()).isEqualTo(4);
        scene.withdraw("b:1", 0); // the hole at the head goes with it
        assertThat(scene.acquire("d:1").position()).isEqualTo(1);
        assertThat(scene.acquire("e:1").position()).isEqualTo(2);
        scene.withdraw("e:1", 0);
        assertThat(scene.acquire("f:1").position()).isEqualTo(2); // the last entry leaves no hole
        scene.withdraw("f:1", 0);
        scene.withdraw("d:1", 0);
        assertThat(scene.acquire("g:1").position()).isEqualTo(1);
    }

    @Test
    void aFreeLockGoesToTheHeadByMessage() {
        Scene scene = new Scene("b", "c");
        long token = scene.hold("a:1");
        scene.queue("b:1", "c:1");
        Released released = scene.release("a:1", token, token, 0, null);
        assertThat(released.owner()).isEqualTo("b:1");
        assertThat(released.claimMillis()).isEqualTo(CLAIM);
        assertThat(scene.message()).isEqualTo(new Grant(Scene.LOCK, "b:1", token + 1, CLAIM, scene.server.time()));
        assertThat(scene.inspect().claim()).isTrue();
        assertThat(scene.waiting()).containsExactly("c:1");
        assertThat(scene.messages).isEmpty();
    }

    @Test
    void aHeadWithoutASubscriberIsSkippedAndDropped() {
        Scene scene = new Scene("c");
        long token = scene.hold("a:1");
        scene.queue("b:1", "b:2", "c:1");
        scene.release("a:1", token);
        assertThat(scene.inspect().owner()).isEqualTo("c:1");
        assertThat(scene.waiting()).isEmpty();
    }

    @Test
    void aHeadThatAsksNeedsNoMessage() {
        Scene scene = new Scene();
        long token = scene.hold("a:1");
        scene.queue("b:1");
        scene.pass(LEASE);
        Acquired granted = scene.acquire("b:1");
        assertThat(granted.verdict()).isEqualTo(Verdict.GRANTED);
        assertThat(granted.token()).isGreaterThan(token);
        assertThat(scene.inspect().claim()).isFalse();
        assertThat(scene.waiting()).isEmpty();
    }

    @Test
    void aClaimIsNoLongerThanTheLease() {
        Scene scene = new Scene("b");
        long token = scene.hold("a:1");
        scene.ask(new Command.Acquire(Scene.LOCK, "b:1", true, 700, 0, NEVER));
        assertThat(scene.release("a:1", token, token, 0, null).claimMillis()).isEqualTo(700);
        assertThat(scene.message().leaseMillis()).isEqualTo(700);
    }

    @Test
    void aClaimIsConfirmedByRenewingOrAskingAgain() {
        Scene scene = new Scene("b");
        scene.release("a:1", scene.hold("a:1"));
        for (boolean renew : new boolean[] {true, false}) {
            long token = scene.hold("a:1");
            scene.queue("b:1");
            scene.release("a:1", token);
            long granted = scene.message().token();
            if (renew) {
                assertThat(scene.renew("b:1", granted)).isEqualTo(Renewal.OK);
            } else {
                assertThat(scene.acquire("b:1").token()).isEqualTo(granted);
            }
            assertThat(scene.inspect().claim()).isFalse();
            assertThat(scene.inspect().untilMillis()).isEqualTo(scene.now() + LEASE);
            assertThat(scene.nudge().claimMillis()).isZero();
            scene.release("b:1", granted);
        }
    }

    @Test
    void aLapsedClaimRemovesAllEntriesOfItsClient() {
        Scene scene = new Scene("b", "c");
        long token = scene.hold("a:1");
        scene.queue("b:1", "b:2", "c:1", "b:3");
        scene.release("a:1", token);
        scene.pass(CLAIM);
        assertThat(scene.nudge().owner()).isEqualTo("c:1");
        assertThat(scene.waiting()).isEmpty();
        assertThat(scene.withdraw("b:2", 0).known()).isFalse();
    }

    @Test
    void aClaimLapsedBeforeARestoreRemovesAllItsClientsEntries() {
        Scene scene = new Scene("b");
        long token = scene.hold("a:1");
        scene.queue("b:1", "b:2", "c:1");
        scene.release("a:1", token);
        scene.pass(CLAIM);
        assertThat(scene.restore("d:1", token + 9 * Scene.BLOCK)).isEqualTo(Renewal.OK);
        assertThat(scene.waiting()).containsExactly("c:1");
    }

    @Test
    void aLapsedConfirmedLeaseRemovesNoEntries() {
        Scene scene = new Scene("b", "c");
        long token = scene.hold("a:1");
        scene.queue("b:1", "b:2", "c:1");
        scene.release("a:1", token);
        scene.renew("b:1", scene.message().token());
        scene.pass(LEASE);
        assertThat(scene.nudge().owner()).isEqualTo("b:2");
        assertThat(scene.waiting()).containsExactly("c:1");
    }

    @Test
    void everyAnswerTellsWhetherTheRequestWasKnown() {
        Scene scene = new Scene("a", "b");
        long token = scene.hold("a:1");
        scene.queue("a:2", "a:3");
        scene.release("a:1", token);
        long granted = scene.message().token(); // for a:2, by a slow message
        scene.pass(CLAIM);
        assertThat(scene.acquire("b:1").verdict()).isEqualTo(Verdict.GRANTED); // the lapse removed a:3
        assertThat(scene.acquire("a:3").known()).isFalse();
        assertThat(scene.withdraw("a:2", granted).known()).isFalse();
        assertThat(scene.release("a:2", granted)).isEqualTo(Release.NOT_HELD);
    }

    @Test
    void anEntryRemovedWithItsClientsClaimIsNotKnown() {
        Scene scene = new Scene("a");
        long token = scene.hold("b:1");
        scene.acquire("a:1");
        scene.acquire("a:2");
        scene.release("b:1", token); // grants to a:1, as a claim
        scene.pass(LEASE);
        assertThat(scene.acquire("a:2").known()).isFalse();
    }

    @Test
    void aLapsedOwnerThatAsksAgainIsKnown() {
        Scene scene = new Scene();
        scene.hold("a:1");
        scene.pass(LEASE);
        assertThat(scene.acquire("a:1").known()).isTrue();
    }

    @Test
    void aNudgeGrantsAFreeLockAndCreatesNothing() {
        Scene scene = new Scene("b");
        assertThat(scene.nudge().owner()).isNull();
        scene.hold("a:1");
        scene.queue("b:1");
        assertThat(scene.nudge().owner()).isEqualTo("a:1");
        scene.pass(LEASE);
        assertThat(scene.nudge()).satisfies(answer -> {
            assertThat(answer.owner()).isEqualTo("b:1");
            assertThat(answer.known()).isFalse();
            assertThat(answer.claimMillis()).isEqualTo(CLAIM);
        });
    }

    @Test
    void withdrawOfTheOwnerGrantsToTheNext() {
        Scene scene = new Scene("b");
        scene.hold("a:1");
        scene.queue("b:1");
        assertThat(scene.withdraw("a:1", 0)).satisfies(answer -> {
            assertThat(answer.known()).isTrue();
            assertThat(answer.owner()).isEqualTo("b:1");
            assertThat(answer.claimMillis()).isEqualTo(CLAIM);
        });
    }

    @Test
    void aReleaseWithoutAHoldStillGrantsAFreeLock() {
        Scene scene = new Scene("b");
        scene.hold("a:1");
        scene.queue("b:1");
        scene.pass(LEASE);
        assertThat(scene.release("c:1", 5, 5, 0, null).owner()).isEqualTo("b:1");
    }

    @Test
    void releaseEntersTheNextRequestBehindTheWaiters() {
        Scene scene = new Scene("a", "b");
        long token = scene.hold("a:1");
        scene.queue("b:1");
        Released released = scene.release("a:1", token, token, 0, wish("a:2"));
        Acquired next = Objects.requireNonNull(released.next());
        assertThat(next.verdict()).isEqualTo(Verdict.QUEUED);
        assertThat(next.remainingMillis()).isEqualTo(CLAIM);
        assertThat(next.position()).isEqualTo(1);
        assertThat(next.owner()).isEqualTo("b:1");
        assertThat(released.claimMillis()).isEqualTo(CLAIM);
        assertThat(scene.waiting()).containsExactly("a:2");
    }

    @Test
    void releaseGrantsTheNextRequestInItsReplyIfTheQueueIsEmpty() {
        Scene scene = new Scene();
        long token = scene.hold("a:1");
        Released released = scene.release("a:1", token, token + 1, 0, wish("a:2"));
        Acquired next = Objects.requireNonNull(released.next());
        assertThat(next.verdict()).isEqualTo(Verdict.GRANTED);
        assertThat(next.token()).isEqualTo(token + 2);
        assertThat(next.known()).isFalse();
        assertThat(released.claimMillis()).isZero();
        assertThat(released.owner()).isEqualTo("a:2");
    }

    @Test
    void releaseQueuesTheNextRequestBehindAKeptLock() {
        Scene scene = new Scene("a");
        long token = scene.hold("a:1");
        Released released = scene.release("a:1", token, token, 800, wish("a:2"));
        assertThat(Objects.requireNonNull(released.next()).verdict()).isEqualTo(Verdict.QUEUED);
        assertThat(released.claimMillis()).isEqualTo(800);
        scene.pass(800);
        assertThat(scene.nudge().owner()).isEqualTo("a:2");
    }

    @Test
    void theNextRequestIsEnteredOnlyIfSomethingWasReleased() {
        Scene scene = new Scene();
        scene.hold("b:1");
        assertThat(scene.release("a:1", 5, 5, 0, wish("a:2")).next()).isNull();
        scene.server.flush();
        Released forgotten = scene.release("a:1", 50, 50, 0, wish("a:2"));
        assertThat(forgotten.outcome()).isEqualTo(Release.FORGOTTEN);
        assertThat(forgotten.next()).isNull();
        assertThat(scene.inspect().owner()).isNull();
    }

    @Test
    void aStaleAcquireChangesNothing() {
        Scene scene = new Scene();
        long now = scene.now();
        Command.Acquire late = new Command.Acquire(Scene.LOCK, "a:1", true, LEASE, 0, now - 1);
        assertThat(scene.ask(late).verdict()).isEqualTo(Verdict.STALE);
        assertThat(scene.inspect().owner()).isNull();
        Command.Acquire inTime = new Command.Acquire(Scene.LOCK, "a:1", true, LEASE, 0, now);
        assertThat(scene.ask(inTime).verdict()).isEqualTo(Verdict.GRANTED);
        long until = scene.inspect().untilMillis();
        scene.pass(1);
        Acquired stale = scene.ask(inTime);
        assertThat(stale.verdict()).isEqualTo(Verdict.STALE);
        assertThat(stale.owner()).isEqualTo("a:1");
        assertThat(scene.inspect().untilMillis()).isEqualTo(until);
    }

    @Test
    void aStaleNextRequestIsNotEntered() {
        Scene scene = new Scene("b");
        long token = scene.hold("a:1");
        scene.queue("b:1");
        Command.Acquire next = new Command.Acquire(Scene.LOCK, "a:2", true, LEASE, 0, scene.now() - 1);
        Released released = scene.release("a:1", token, token, 0, next);
        assertThat(released.outcome()).isEqualTo(Release.RELEASED);
        assertThat(released.next()).isEqualTo(new Acquired(scene.server.time(), Verdict.STALE, 0, 0, 0, false, "b:1"));
        assertThat(scene.waiting()).isEmpty();
    }

    @Test
    void staleRenewAndRestoreChangeNothing() {
        Scene scene = new Scene();
        long token = scene.hold("a:1");
        scene.pass(LEASE / 2);
        long until = scene.inspect().untilMillis();
        assertThat(scene.renew("a:1", token, LEASE, 0, scene.now() - 1)).isEqualTo(Renewal.STALE);
        assertThat(scene.inspect().untilMillis()).isEqualTo(until);
        assertThat(scene.renew("a:1", token, LEASE, 0, scene.now())).isEqualTo(Renewal.OK);
        scene.server.flush();
        assertThat(scene.restore("a:1", token, scene.now() - 1)).isEqualTo(Renewal.STALE);
        assertThat(scene.inspect().owner()).isNull();
        assertThat(scene.restore("a:1", token, scene.now())).isEqualTo(Renewal.OK);
    }
}
