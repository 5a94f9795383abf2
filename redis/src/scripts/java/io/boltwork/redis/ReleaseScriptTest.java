// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.spi.Command;
import io.boltwork.spi.Command.Acquire;
import io.boltwork.spi.Grant;
import io.boltwork.spi.Reply.Acquired;
import io.boltwork.spi.Reply.Failed;
import io.boltwork.spi.Reply.Release;
import io.boltwork.spi.Reply.Released;
import io.boltwork.spi.Reply.Verdict;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ReleaseScriptTest extends ScriptTest {

    private Released release(String request, long first, long last, long keep, @Nullable Acquire next) {
        return a.ask(new Command.Release(LOCK, request, first, last, keep, next), Released.class);
    }

    private static Acquire next(String request) {
        return new Acquire(LOCK, request, true, Client.LEASE, 0, Client.NEVER);
    }

    @Test
    void theOwnerReleasesAndTheFenceFallsToTheLastTokenUsed() {
        long token = a.acquire(LOCK, "a:1").token();
        Released released = release("a:1", token, token + 7, 0, null);
        assertThat(released.outcome()).isEqualTo(Release.RELEASED);
        assertThat(released.owner()).isNull();
        assertThat(released.next()).isNull();
        assertThat(released.claimMillis()).isZero();
        assertThat(fields()).containsEntry("owner", "").containsEntry("fence", "" + (token + 7));
        assertThat(a.acquire(LOCK, "a:2").token()).isGreaterThan(token + 7);
    }

    @Test
    void aReleaseOfAnotherHoldOfTheRequestLeavesTheFence() {
        long token = a.acquire(LOCK, "a:1").token();
        endLease();
        long newer = a.acquire(LOCK, "a:1").token();
        assertThat(release("a:1", token, token + 7, 0, null).outcome()).isEqualTo(Release.RELEASED);
        assertThat(field("fence")).isEqualTo(newer + BLOCK - 1);
    }

    @Test
    void aReleaseRaisesAFenceThatIsTooLow() {
        a.acquire(LOCK, "a:1");
        long high = field("fence") + 50_000_000;
        assertThat(release("a:1", high, high + 3, 0, null).outcome()).isEqualTo(Release.RELEASED);
        assertThat(field("fence")).isEqualTo(high + 3);
    }

    @Test
    void aFenceThatHasMovedSinceIsNotLowered() {
        long token = a.acquire(LOCK, "a:1").token();
        set("fence", token + 5_000);
        release("a:1", token, token, 0, null);
        assertThat(field("fence")).isEqualTo(token + 5_000);
    }

    @Test
    void anOwnerWhoseLeaseHasEndedMayStillRelease() {
        long token = a.acquire(LOCK, "a:1").token();
        endLease();
        assertThat(release("a:1", token, token, 0, null).outcome()).isEqualTo(Release.RELEASED);
    }

    @Test
    void aHoldThatTheServerLostIsForgotten() {
        long token = a.acquire(LOCK, "a:1").token();
        redis.command("FLUSHALL");
        Released released = release("a:1", token, token + 7, 0, null);
        assertThat(released.outcome()).isEqualTo(Release.FORGOTTEN);
        assertThat(field("fence")).as("a restore that comes late is refused").isEqualTo(token + 7);
        assertThat((Long) redis.command("PTTL", KEY)).isGreaterThan(590_000);
        assertThat(release("a:1", token, token + 7, 0, null).outcome()).isEqualTo(Release.NOT_HELD);
    }

    @Test
    void aLostHoldIsForgottenIfOnlyAnExpiredLeaseIsLeft() {
        long old = b.acquire(LOCK, "b:1").token();
        endLease();
        long token = old + 5_000;
        assertThat(release("a:1", token, token, 0, null).outcome()).isEqualTo(Release.FORGOTTEN);
        assertThat(fields()).containsEntry("owner", "");
    }

    @Test
    void aLockOfAnotherOwnerIsNotHeld() {
        long token = a.acquire(LOCK, "a:1").token();
        endLease();
        long other = b.acquire(LOCK, "b:1").token();
        Released released = release("a:1", token, token, 0, next("a:2"));
        assertThat(released.outcome()).isEqualTo(Release.NOT_HELD);
        assertThat(released.next()).isNull();
        assertThat(released.owner()).isEqualTo("b:1");
        assertThat(released.claimMillis()).isZero();
        assertThat(field("fence")).isEqualTo(other + BLOCK - 1);
        assertThat(queue()).isEmpty();
    }

    @Test
    void notHeldRaisesTheFenceIfItIsLower() {
        b.acquire(LOCK, "b:1");
        long high = field("fence") + 9;
        assertThat(release("a:1", high, high, 0, null).outcome()).isEqualTo(Release.NOT_HELD);
        assertThat(field("fence")).isEqualTo(high);
    }

    @Test
    void aRequestThatReleasesLeavesTheQueue() {
        long token = b.acquire(LOCK, "b:1").token();
        a.acquire(LOCK, "a:1");
        assertThat(release("a:1", token - 5_000, token - 5_000, 0, null).outcome())
                .isEqualTo(Release.NOT_HELD);
        assertThat(queue()).isEmpty();
    }

    @Test
    void theNextInTheQueueIsGranted() {
        long token = a.acquire(LOCK, "a:1").token();
        b.ask(new Acquire(LOCK, "b:1", true, Client.LEASE, 400, Client.NEVER), Acquired.class);
        Released released = release("a:1", token, token, 0, null);
        assertThat(released.outcome()).isEqualTo(Release.RELEASED);
        assertThat(released.owner()).isEqualTo("b:1");
        assertThat(released.claimMillis()).isEqualTo(3_000 + 400);
        Grant grant = b.nextGrant();
        assertThat(grant.token()).isGreaterThan(token).isEqualTo(field("token"));
        assertThat(grant.leaseMillis()).isEqualTo(3_000);
        assertThat(grant.server()).isEqualTo(released.server());
    }

    @Test
    void theOtherWaitersMoveUp() {
        long token = a.acquire(LOCK, "a:1").token();
        b.acquire(LOCK, "b:1");
        a.acquire(LOCK, "a:2");
        b.acquire(LOCK, "b:2");
        assertThat(a.release(LOCK, "a:1", token).owner()).isEqualTo("b:1");
        assertThat(b.nextGrant().token()).isGreaterThan(token).isEqualTo(field("token"));
        assertThat(queue()).containsExactly("a:2", "b:2");
        assertThat(fields()).containsEntry("claim", "1").containsEntry("fence", "" + (field("token") + BLOCK - 1));
    }

    @Test
    void theKeyOutlivesALongTakeoverDelay() {
        long twoDays = 48 * 3_600_000L;
        long token = a.acquire(LOCK, "a:1").token();
        b.ask(new Command.Acquire(LOCK, "b:1", true, Client.LEASE, twoDays, Client.NEVER), Acquired.class);
        assertThat(a.release(LOCK, "a:1", token).owner()).isEqualTo("b:1");
        assertThat(b.nextGrant().token()).isGreaterThan(token);
        assertThat((Long) redis.command("PTTL", KEY)).isGreaterThan(twoDays + 590_000);
    }

    @Test
    void aRequestThatLeftTheQueueIsNotGranted() {
        long token = a.acquire(LOCK, "a:1").token();
        b.acquire(LOCK, "b:1");
        b.acquire(LOCK, "b:2");
        a.acquire(LOCK, "a:2");
        b.withdraw(LOCK, "b:2", 0);
        assertThat(a.release(LOCK, "a:1", token).owner()).isEqualTo("b:1");
        token = b.nextGrant().token();
        assertThat(queue()).containsExactly("a:2");
        assertThat(b.release(LOCK, "b:1", token).owner()).isEqualTo("a:2");
        assertThat(a.nextGrant().token()).isGreaterThan(token);
        assertThat(queue()).isEmpty();
    }

    @Test
    void aWaiterThatDoesNotListenIsSkipped() {
        long token = a.acquire(LOCK, "a:1").token();
        a.acquire(LOCK, "gone:1");
        a.acquire(LOCK, "gone:2");
        b.acquire(LOCK, "b:1");
        assertThat(a.release(LOCK, "a:1", token).owner()).isEqualTo("b:1");
        assertThat(b.nextGrant().request()).isEqualTo("b:1");
        assertThat(queue()).isEmpty();
    }

    @Test
    void theLockIsFreeIfTheOnlyWaiterDoesNotListen() {
        long token = a.acquire(LOCK, "a:1").token();
        a.acquire(LOCK, "gone:1");
        assertThat(a.release(LOCK, "a:1", token).owner()).isNull();
        assertThat(queue()).isEmpty();
        assertThat(fields()).containsEntry("owner", "").containsEntry("fence", "" + token);
    }

    @Test
    void aServerThatRefusesWritesPublishesNoGrant() {
        long token = a.acquire(LOCK, "a:1").token();
        b.acquire(LOCK, "b:1");
        a.acquire(LOCK, "a:2");
        redis.command("CONFIG", "SET", "min-replicas-to-write", "1");
        try {
            a.ask(new Command.Release(LOCK, "a:1", token, token, 0, null), Failed.class);
            redis.command("PING");
            assertThat(b.grants).isEmpty();
        } finally {
            redis.command("CONFIG", "SET", "min-replicas-to-write", "0");
        }
        assertThat(fields()).containsEntry("owner", "a:1");
        assertThat(queue()).containsExactly("b:1", "a:2");
    }

    @Test
    void aReleaseThatHoldsNothingStillGrantsAFreeLock() {
        long token = a.acquire(LOCK, "a:1").token();
        b.acquire(LOCK, "b:1");
        endLease();
        Released released = release("a:9", token - 1, token - 1, 0, null);
        assertThat(released.outcome()).isEqualTo(Release.NOT_HELD);
        assertThat(released.owner()).isEqualTo("b:1");
        assertThat(released.claimMillis()).isEqualTo(3_000);
        assertThat(b.nextGrant().request()).isEqualTo("b:1");
    }

    @Test
    void theNextRequestIsGrantedInTheAnswerIfTheQueueIsEmpty() {
        long token = a.acquire(LOCK, "a:1").token();
        Released released = release("a:1", token, token, 0, next("a:2"));
        assertThat(released.outcome()).isEqualTo(Release.RELEASED);
        assertThat(released.owner()).isEqualTo("a:2");
        assertThat(released.claimMillis()).isZero();
        Acquired granted = Objects.requireNonNull(released.next());
        assertThat(granted.verdict()).isEqualTo(Verdict.GRANTED);
        assertThat(granted.token()).isEqualTo(field("token")).isGreaterThan(token);
        assertThat(granted.owner()).isEqualTo("a:2");
        assertThat(granted.known()).isFalse();
        assertThat(granted.server()).isEqualTo(released.server());
    }

    @Test
    void theNextRequestQueuesBehindThoseThatWait() {
        long token = a.acquire(LOCK, "a:1").token();
        b.acquire(LOCK, "b:1");
        b.acquire(LOCK, "b:2");
        Released released = release("a:1", token, token, 0, next("a:2"));
        Acquired queued = Objects.requireNonNull(released.next());
        assertThat(queued.verdict()).isEqualTo(Verdict.QUEUED);
        assertThat(queued.position()).isEqualTo(2);
        assertThat(queued.remainingMillis()).isEqualTo(3_000);
        assertThat(queued.owner()).isEqualTo("b:1");
        assertThat(released.owner()).isEqualTo("b:1");
        assertThat(released.claimMillis()).isEqualTo(3_000);
        assertThat(b.nextGrant().request()).isEqualTo("b:1");
        assertThat(queue()).containsExactly("b:2", "a:2");
    }

    @Test
    void aStaleNextRequestIsNotEntered() {
        long token = a.acquire(LOCK, "a:1").token();
        b.acquire(LOCK, "b:1");
        Released released = release("a:1", token, token, 0, new Acquire(LOCK, "a:2", true, Client.LEASE, 0, 1));
        assertThat(released.outcome()).isEqualTo(Release.RELEASED);
        assertThat(Objects.requireNonNull(released.next()).verdict()).isEqualTo(Verdict.STALE);
        assertThat(released.next().known()).isFalse();
        assertThat(released.owner()).isEqualTo("b:1");
        assertThat(b.nextGrant().request()).isEqualTo("b:1");
        assertThat(queue()).isEmpty();
    }

    @Test
    void aNextRequestThatIsAlreadyQueuedIsReportedAsKnown() {
        long token = a.acquire(LOCK, "a:1").token();
        a.acquire(LOCK, "a:2");
        Acquired granted = Objects.requireNonNull(
                release("a:1", token, token, 0, next("a:2")).next());
        assertThat(granted.verdict()).isEqualTo(Verdict.GRANTED);
        assertThat(granted.known()).isTrue();
        assertThat(queue()).isEmpty();
    }

    @Test
    void aLockMayBeKeptClosed() {
        long token = a.acquire(LOCK, "a:1").token();
        b.acquire(LOCK, "b:1");
        Released released = release("a:1", token, token, 5_000, null);
        assertThat(released.outcome()).isEqualTo(Release.RELEASED);
        assertThat(released.owner()).isNull();
        assertThat(released.claimMillis()).isEqualTo(5_000);
        assertThat(fields()).containsEntry("owner", "-").containsEntry("fence", "" + token);

        Acquired refused = b.tryAcquire(LOCK, "b:2");
        assertThat(refused.verdict()).isEqualTo(Verdict.REFUSED);
        assertThat(refused.owner()).isNull();
        assertThat(refused.remainingMillis()).isBetween(1L, 5_000L);
        assertThat(a.withdraw(LOCK, null, 0).claimMillis()).isBetween(1L, 5_000L);
        assertThat(a.release(LOCK, "a:1", token).outcome()).isEqualTo(Release.NOT_HELD);
        assertThat(a.inspect(LOCK).owner()).isNull();
        assertThat(a.inspect(LOCK).untilMillis()).isEqualTo(field("until"));

        endLease();
        assertThat(a.withdraw(LOCK, null, 0).owner()).isEqualTo("b:1");
        assertThat(b.nextGrant().request()).isEqualTo("b:1");
    }

    @Test
    void theNextRequestWaitsForALockKeptClosed() {
        long token = a.acquire(LOCK, "a:1").token();
        Acquired queued = Objects.requireNonNull(
                release("a:1", token, token, 5_000, next("a:2")).next());
        assertThat(queued.verdict()).isEqualTo(Verdict.QUEUED);
        assertThat(queued.remainingMillis()).isEqualTo(5_000);
        assertThat(queued.owner()).isNull();
    }

    @Test
    void aClaimMayBeReleased() {
        long token = a.acquire(LOCK, "a:1").token();
        b.acquire(LOCK, "b:1");
        release("a:1", token, token, 0, null);
        Grant grant = b.nextGrant();
        Released released = b.release(LOCK, "b:1", grant.token());
        assertThat(released.outcome()).isEqualTo(Release.RELEASED);
        Acquired granted = a.acquire(LOCK, "a:2");
        assertThat(granted.verdict()).isEqualTo(Verdict.GRANTED);
        assertThat(fields()).containsEntry("claim", "");
    }
}
