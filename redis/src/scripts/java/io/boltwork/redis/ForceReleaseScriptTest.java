// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.spi.Command;
import io.boltwork.spi.Grant;
import io.boltwork.spi.HoldTaken;
import io.boltwork.spi.Reply.Forced;
import io.boltwork.spi.Reply.Release;
import io.boltwork.spi.Reply.Released;
import io.boltwork.spi.Reply.Renewal;
import io.boltwork.spi.Reply.Verdict;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ForceReleaseScriptTest extends ScriptTest {

    /** Releases a lock by a:1 so that it is kept closed, and returns a:1's token. */
    private long keep() {
        long token = a.acquire(LOCK, "a:1").token();
        a.ask(new Command.Release(LOCK, "a:1", token, token, 5_000, null), Released.class);
        return token;
    }

    @Test
    void theOwnerIsClearedAndDoesNotComeBack() {
        long token = a.acquire(LOCK, "a:1").token();
        Forced forced = b.force(LOCK, 0);
        assertThat(forced.released()).isTrue();
        assertThat(forced.owner()).isNull();
        assertThat(forced.claimMillis()).isZero();
        assertThat(forced.server().run()).isEqualTo(b.inspect(LOCK).server().run());
        assertThat(fields()).containsEntry("owner", "");
        assertThat(field("fence")).isGreaterThanOrEqualTo(token + BLOCK);
        assertThat(a.renew(LOCK, "a:1", token, 1).items().get(0).outcome()).isEqualTo(Renewal.LOST);
        assertThat(a.restore(LOCK, "a:1", token).outcome()).isEqualTo(Renewal.LOST);
        assertThat(a.release(LOCK, "a:1", token).outcome()).isEqualTo(Release.NOT_HELD);
    }

    @Test
    void theNextWaiterIsGranted() {
        long token = a.acquire(LOCK, "a:1").token();
        b.acquire(LOCK, "b:1");
        b.acquire(LOCK, "b:2");
        Forced forced = a.force(LOCK, token);
        assertThat(forced.released()).isTrue();
        assertThat(forced.owner()).isEqualTo("b:1");
        assertThat(forced.claimMillis()).isEqualTo(3_000);
        Grant grant = b.nextGrant();
        assertThat(grant.request()).isEqualTo("b:1");
        assertThat(grant.token()).isEqualTo(field("token")).isGreaterThan(token + BLOCK);
        assertThat(queue()).containsExactly("b:2");
    }

    @Test
    void theOwnersClientIsTold() throws InterruptedException {
        long token = a.acquire(LOCK, "a:1").token();
        Forced forced = b.force(LOCK, 0);
        assertThat(forced.taken()).isEqualTo("a:1");
        assertThat(forced.takenToken()).isEqualTo(token);
        assertThat(messageOf(token)).isEqualTo(new HoldTaken(LOCK, "a:1", token, forced.server()));
    }

    /** Returns the message to a about that hold, and skips earlier ones. */
    private HoldTaken messageOf(long token) throws InterruptedException {
        while (true) {
            HoldTaken taken = a.takings.poll(5, TimeUnit.SECONDS);
            assertThat(taken).as("a message").isNotNull();
            if (taken.token() == token) {
                return taken;
            }
        }
    }

    @Test
    void noMessageIsSentIfNoHoldWasTaken() throws InterruptedException {
        long before = a.acquire(LOCK, "a:1").token();
        a.force(LOCK, 0);
        messageOf(before);
        long token = a.acquire(LOCK, "a:1").token();
        assertThat(a.force(LOCK, token + BLOCK).taken()).isNull();
        assertThat(a.force(LOCK, token - 1).takenToken()).isZero();
        a.release(LOCK, "a:1", token);
        assertThat(a.force(LOCK, 0).taken()).isNull();
        keep();
        assertThat(a.force(LOCK, 0).taken()).as("no hold was taken").isNull();
        CommandStats.reset(redis);
        assertThat(a.force(LOCK, 0).taken()).isNull();
        assertThat(CommandStats.of(redis).published()).isZero();
        long last = a.acquire(LOCK, "a:2").token();
        a.force(LOCK, 0);
        assertThat(a.takings.poll(5, TimeUnit.SECONDS).token())
                .as("the first message")
                .isEqualTo(last);
    }

    @Test
    void aWaiterThatDoesNotListenIsRemoved() {
        a.acquire(LOCK, "a:1");
        a.acquire(LOCK, "dead:1");
        assertThat(a.force(LOCK, 0).owner()).isNull();
        assertThat(fields()).containsEntry("owner", "");
        assertThat(queue()).isEmpty();
    }

    @Test
    void anyTokenOfItsBlockIdentifiesAHold() {
        for (int used : new int[] {0, 500, BLOCK - 1}) {
            assertThat(a.force(LOCK, a.acquire(LOCK, "a:1").token() + used).released())
                    .isTrue();
        }
    }

    @Test
    void anotherHoldIsNotTouched() {
        long token = a.acquire(LOCK, "a:1").token();
        b.acquire(LOCK, "b:1");
        var before = fields();
        for (long other : new long[] {1, token - 1, token + BLOCK}) {
            Forced forced = b.force(LOCK, other);
            assertThat(forced.released()).isFalse();
            assertThat(forced.owner()).isEqualTo("a:1");
            assertThat(forced.claimMillis()).isZero();
        }
        assertThat(fields()).isEqualTo(before);
    }

    @Test
    void aClaimIsLeftAloneIfTheTokenIsAnotherHolds() {
        long token = a.acquire(LOCK, "a:1").token();
        b.acquire(LOCK, "b:1");
        a.release(LOCK, "a:1", token);
        b.nextGrant();
        Forced forced = a.force(LOCK, token);
        assertThat(forced.released()).isFalse();
        assertThat(forced.claimMillis()).isBetween(1L, 3_000L);
    }

    @Test
    void aLockKeptClosedIsOpened() {
        keep();
        assertThat(b.force(LOCK, 0).released()).isTrue();
        assertThat(b.acquire(LOCK, "b:1").verdict()).isEqualTo(Verdict.GRANTED);
    }

    @Test
    void aLockKeptClosedIsNotAHold() {
        long token = keep();
        Forced forced = b.force(LOCK, token);
        assertThat(forced.released()).isFalse();
        assertThat(forced.owner()).isNull();
        assertThat(forced.claimMillis()).isBetween(1L, 5_000L);
        assertThat(fields()).containsEntry("owner", "-");
    }

    @Test
    void aLapsedOwnerDoesNotCountAsReleased() {
        long token = a.acquire(LOCK, "a:1").token();
        endLease();
        Forced forced = b.force(LOCK, 0);
        assertThat(forced.released()).isFalse();
        assertThat(fields()).containsEntry("owner", "");
        assertThat(field("fence")).isGreaterThanOrEqualTo(token + BLOCK);
    }

    @Test
    void aForceReleaseOfALapsedHoldKeepsTheFence() {
        long token = a.acquire(LOCK, "a:1").token();
        endLease();
        assertThat(b.force(LOCK, token).released()).isFalse();
        assertThat(field("fence")).isEqualTo(token + BLOCK - 1);
        assertThat(fields()).containsEntry("owner", "");
    }

    @Test
    void aFreeLockGoesToTheNextEvenIfTheTokenDoesNotMatch() {
        a.acquire(LOCK, "a:1");
        b.acquire(LOCK, "b:1");
        endLease();
        Forced forced = a.force(LOCK, 1);
        assertThat(forced.released()).isFalse();
        assertThat(forced.owner()).isEqualTo("b:1");
        assertThat(b.nextGrant().token()).isEqualTo(field("token"));
    }

    @Test
    void aLapsedClaimDropsTheRequestsOfItsClient() {
        long token = a.acquire(LOCK, "a:1").token();
        b.acquire(LOCK, "b:1");
        b.acquire(LOCK, "b:2");
        a.acquire(LOCK, "a:2");
        a.release(LOCK, "a:1", token);
        b.nextGrant();
        endLease();
        assertThat(a.force(LOCK, 0).owner()).isEqualTo("a:2");
        assertThat(a.nextGrant().request()).isEqualTo("a:2");
        assertThat(queue()).isEmpty();
    }

    @Test
    void aForgottenHoldDoesNotComeBackEither() {
        long token = a.acquire(LOCK, "a:1").token();
        redis.command("FLUSHALL");
        assertThat(b.force(LOCK, token).released()).isFalse();
        assertThat(fields()).as("nothing was changed").isEmpty();

        assertThat(b.force(LOCK, 0).released()).isFalse();
        assertThat(field("fence")).isGreaterThan(token);
        assertThat((Long) redis.command("PTTL", KEY)).isGreaterThan(23 * 3_600_000L);
        assertThat(a.restore(LOCK, "a:1", token).outcome()).isEqualTo(Renewal.LOST);
    }

    @Test
    void aFenceAheadOfTheClockGrowsByOne() {
        long ahead = a.acquire(LOCK, "a:1").token() + 3_600_000_000L;
        set("fence", ahead);
        a.force(LOCK, 0);
        assertThat(field("fence")).isEqualTo(ahead + 1);
    }
}
