// SPDX-License-Identifier: Apache-2.0
package io.boltwork.memory;

import static io.boltwork.memory.Scene.BLOCK;
import static io.boltwork.memory.Scene.LEASE;
import static io.boltwork.memory.Scene.NEVER;
import static io.boltwork.memory.Scene.wish;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.boltwork.spi.Command;
import io.boltwork.spi.Grant;
import io.boltwork.spi.IdleLife;
import io.boltwork.spi.Reply.Acquired;
import io.boltwork.spi.Reply.Release;
import io.boltwork.spi.Reply.Renewal;
import io.boltwork.spi.Reply.Verdict;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The rules of tokens and leases. Each test is the trace that goes wrong without its rule. */
class TokenRulesTest {
    private static final long LIFE = IdleLife.DEFAULT.toMillis();

    @Test
    void aTokenIsTheClockInMicrosecondsAndReservesABlock() {
        Scene scene = new Scene();
        long token = scene.hold("a:1");
        assertThat(token).isEqualTo(TimeUnit.SECONDS.toMicros(scene.begin.getEpochSecond()));
        assertThat(scene.inspect().fence()).isEqualTo(token + BLOCK - 1);
    }

    @Test
    void tokensGrowEvenIfTheClockStopsOrGoesBack() {
        Scene scene = new Scene();
        long first = scene.hold("a:1");
        scene.release("a:1", first);
        assertThat(scene.hold("a:2")).isEqualTo(first + 1);
        scene.release("a:2", first + 1, first + 50, 0, null);
        scene.pass(-60_000);
        assertThat(scene.hold("b:1")).isEqualTo(first + 51);
    }

    @Test
    void tokensGrowAcrossAFlush() {
        Scene scene = new Scene();
        long first = scene.hold("a:1");
        scene.server.flush();
        scene.pass(1);
        assertThat(scene.hold("b:1")).isGreaterThan(first);
    }

    @Test
    void renewTestsRequestAndFirstToken() {
        Scene scene = new Scene();
        long old = scene.hold("a:1");
        scene.withdraw("a:1", 0);
        long late = scene.hold("a:1"); // a late acquire, after which the client does not know that a:1 owns
        assertThat(scene.renew("a:1", old)).isEqualTo(Renewal.LOST);
        assertThat(scene.renew("a:1", late)).isEqualTo(Renewal.OK);
    }

    @Test
    void theEndOfALeaseNeverMovesBack() {
        Scene scene = new Scene();
        long token = scene.hold("a:1");
        scene.renew("a:1", token, 60_000, 0, NEVER);
        long until = scene.inspect().untilMillis();
        assertThat(scene.acquire("a:1").verdict()).isEqualTo(Verdict.GRANTED);
        scene.renew("a:1", token, 1, 0, NEVER);
        assertThat(scene.inspect().untilMillis()).isEqualTo(until).isEqualTo(scene.now() + 60_000);
    }

    @Test
    void releaseLowersTheFenceOnlyIfTokenAndFenceStillMatch() {
        Scene scene = new Scene("a", "b");
        long before = scene.hold("a:1");
        scene.queue("b:1");
        scene.release("a:1", before);
        Grant grant = scene.message(); // b holds; its poll is slow
        scene.pass(Scene.CLAIM);
        long used = scene.hold("a:2"); // the claim has lapsed
        assertThat(scene.acquire("b:1").verdict()).isEqualTo(Verdict.QUEUED); // the poll
        scene.release("a:2", used); // b:1 owns again, with a newer token
        long newer = scene.message().token();
        assertThat(scene.release("b:1", grant.token())).isEqualTo(Release.RELEASED);
        assertThat(scene.hold("a:3")).isGreaterThan(newer);
    }

    @Test
    void releaseRaisesTheFenceIfOnlyTheRequestMatches() {
        Scene scene = new Scene();
        long first = scene.hold("a:1");
        scene.server.flush();
        scene.pass(-60_000);
        scene.hold("a:1"); // a late acquire, on a server whose clock went back
        scene.release("a:1", first, first + 7, 0, null);
        assertThat(scene.inspect().fence()).isEqualTo(first + 7);
    }

    @Test
    void releaseLowersTheFenceToTheLastTokenUsed() {
        Scene scene = new Scene();
        long first = scene.hold("a:1");
        scene.release("a:1", first, first + 3, 0, null);
        assertThat(scene.inspect().fence()).isEqualTo(first + 3);
    }

    @Test
    void releaseRemovesTheRequestsOwnEntryFromTheQueue() {
        Scene scene = new Scene("a", "b");
        scene.hold("a:1");
        scene.queue("b:1");
        assertThat(scene.release("b:1", 5)).isEqualTo(Release.NOT_HELD);
        assertThat(scene.waiting()).isEmpty();
    }

    @Test
    void lostRenewalRemovesTheRequestsOwnEntryFromTheQueue() {
        Scene scene = new Scene("a", "b");
        scene.hold("a:1");
        scene.queue("b:1");
        assertThat(scene.renew("b:1", 5)).isEqualTo(Renewal.LOST);
        assertThat(scene.waiting()).isEmpty();
    }

    @Test
    void restoreRemovesTheRequestsOwnEntryFromTheQueue() {
        Scene scene = new Scene("a", "b");
        scene.hold("a:1");
        scene.queue("b:1");
        assertThat(scene.restore("b:1", 5)).isEqualTo(Renewal.LOST);
        assertThat(scene.waiting()).isEmpty();
    }

    @Test
    void withdrawRaisesTheFenceAndNeverLowersIt() {
        Scene scene = new Scene("a", "b");
        long first = scene.hold("a:1");
        scene.release("a:1", first);
        long used = scene.hold("b:1");
        scene.queue("a:1"); // a late acquire
        scene.release("b:1", used);
        assertThat(scene.withdraw("a:1", first).known()).isTrue();
        assertThat(scene.hold("c:1")).isGreaterThan(used);

        scene.server.flush();
        scene.withdraw("c:1", used + 9);
        assertThat(scene.inspect().fence()).isEqualTo(used + 9);
    }

    @Test
    void renewNeverRestores() {
        Scene scene = new Scene();
        long old = scene.hold("a:1");
        scene.pass(LEASE);
        long held = scene.hold("b:1");
        scene.server.flush();
        assertThat(scene.renew("a:1", old))
                .isEqualTo(Renewal.FORGOTTEN); // a slow renewal, during the valid hold of b:1
        assertThat(scene.inspect().owner()).isNull();
        assertThat(scene.inspect().fence()).isZero();
        assertThat(scene.restore("b:1", held)).isEqualTo(Renewal.OK);
        assertThat(scene.renew("a:1", old)).isEqualTo(Renewal.LOST);
    }

    @Test
    void restoreBringsBackOwnerTokenAndBlock() {
        Scene scene = new Scene();
        long token = scene.hold("a:1");
        scene.server.delete(Scene.LOCK);
        assertThat(scene.restore("a:1", token)).isEqualTo(Renewal.OK);
        assertThat(scene.inspect().owner()).isEqualTo("a:1");
        assertThat(scene.inspect().token()).isEqualTo(token);
        assertThat(scene.inspect().fence()).isEqualTo(token + BLOCK - 1);
        assertThat(scene.inspect().untilMillis()).isEqualTo(scene.now() + LEASE);
        assertThat(scene.renew("a:1", token)).isEqualTo(Renewal.OK);
    }

    @Test
    void restoreIsRefusedOnceATokenOfTheBlockOrAboveWasIssued() {
        Scene scene = new Scene();
        long token = scene.hold("a:1");
        scene.server.flush();
        long later = scene.hold("b:1");
        scene.release("b:1", later);
        assertThat(scene.renew("a:1", token)).isEqualTo(Renewal.LOST);
        assertThat(scene.restore("a:1", token)).isEqualTo(Renewal.LOST);
    }

    @Test
    void releaseOfAForgottenHoldRefusesALateRestore() {
        Scene scene = new Scene();
        long token = scene.hold("a:1");
        scene.server.flush();
        assertThat(scene.renew("a:1", token)).isEqualTo(Renewal.FORGOTTEN);
        assertThat(scene.release("a:1", token)).isEqualTo(Release.FORGOTTEN);
        assertThat(scene.inspect().fence()).isEqualTo(token);
        assertThat(scene.restore("a:1", token)).isEqualTo(Renewal.LOST);
    }

    @Test
    void notHeldRaisesTheFenceToTheLastTokenUsed() {
        Scene scene = new Scene();
        long token = scene.hold("b:1");
        assertThat(scene.release("a:1", token, token + 5_000, 0, null).outcome())
                .isEqualTo(Release.NOT_HELD);
        assertThat(scene.inspect().fence()).isEqualTo(token + 5_000);
    }

    @Test
    void renewAndRestoreIgnoreALapsedOwner() {
        Scene scene = new Scene();
        long lapsed = scene.hold("a:1"); // a hold that a failover has brought back
        scene.pass(LEASE);
        long lost = lapsed + 5 * BLOCK; // a later hold of b:1, which the failover has lost
        assertThat(scene.renew("b:1", lost)).isEqualTo(Renewal.FORGOTTEN);
        assertThat(scene.restore("b:1", lost)).isEqualTo(Renewal.OK);
        assertThat(scene.inspect().owner()).isEqualTo("b:1");
    }

    @Test
    void renewOfALapsedLeaseIsOkUntilAnotherOwnerComes() {
        Scene scene = new Scene();
        long token = scene.hold("a:1");
        scene.pass(3 * LEASE);
        assertThat(scene.renew("a:1", token)).isEqualTo(Renewal.OK);
        assertThat(scene.inspect().untilMillis()).isEqualTo(scene.now() + LEASE);
    }

    @Test
    void acquireByTheOwnerAfterItsLeaseEndedGetsANewToken() {
        Scene scene = new Scene();
        long first = scene.hold("a:1");
        scene.pass(LEASE - 1);
        assertThat(scene.acquire("a:1").token()).isEqualTo(first); // refreshed
        scene.pass(LEASE);
        Acquired again = scene.acquire("a:1");
        assertThat(again.token()).isGreaterThan(first);
        assertThat(again.known()).isTrue();
        assertThat(scene.renew("a:1", first)).isEqualTo(Renewal.LOST);
    }

    @Test
    void aKeptLockHasAMarkerThatEqualsNoRequest() {
        Scene scene = new Scene("b");
        long token = scene.hold("a:1");
        scene.queue("b:1");
        var released = scene.release("a:1", token, token, 500, null);
        assertThat(released.claimMillis()).isEqualTo(500);
        assertThat(released.owner()).isNull();
        assertThat(scene.renew("a:1", token)).isEqualTo(Renewal.LOST);
        assertThat(scene.acquire("a:1").verdict()).isEqualTo(Verdict.QUEUED);
        assertThat(scene.acquire("a:1").remainingMillis()).isEqualTo(500);
        scene.withdraw("a:1", token);
        assertThat(scene.nudge().claimMillis()).isEqualTo(500);
        scene.pass(499);
        assertThat(scene.nudge().owner()).isNull();
        scene.pass(1);
        assertThat(scene.nudge().owner()).isEqualTo("b:1");
    }

    @Test
    void takeoverDelayIsAddedByEveryGrantAndRefresh() {
        Scene scene = new Scene("b");
        Command.Acquire a = new Command.Acquire(Scene.LOCK, "a:1", true, LEASE, 2_000, NEVER);
        long token = scene.ask(a).token();
        assertThat(scene.inspect().untilMillis()).isEqualTo(scene.now() + LEASE + 2_000);
        scene.pass(LEASE);
        scene.renew("a:1", token, LEASE, 2_000, NEVER);
        assertThat(scene.inspect().untilMillis()).isEqualTo(scene.now() + LEASE + 2_000);
        scene.pass(1);
        scene.ask(a);
        assertThat(scene.inspect().untilMillis()).isEqualTo(scene.now() + LEASE + 2_000);

        scene.ask(new Command.Acquire(Scene.LOCK, "b:1", true, LEASE, 4_000, NEVER));
        scene.release("a:1", token);
        assertThat(scene.message().leaseMillis()).isEqualTo(Scene.CLAIM);
        assertThat(scene.inspect().untilMillis()).isEqualTo(scene.now() + Scene.CLAIM + 4_000);
    }

    @Test
    void theOwnersRetryFindsItsTokenAgain() {
        Scene scene = new Scene();
        Acquired first = scene.acquire("a:1");
        assertThat(first.known()).isFalse();
        Acquired retry = scene.acquire("a:1");
        assertThat(retry.token()).isEqualTo(first.token());
        assertThat(retry.known()).isTrue();
        assertThat(scene.ask(wish("a:1")).owner()).isEqualTo("a:1");
    }

    @Test
    void aLapsedOwnerStillReleasesWithoutAnError() {
        Scene scene = new Scene();
        long token = scene.hold("a:1");
        scene.pass(2 * LEASE);
        assertThat(scene.release("a:1", token)).isEqualTo(Release.RELEASED);
        assertThat(scene.release("a:1", token)).isEqualTo(Release.NOT_HELD);
    }

    @Test
    void aLockIsForgottenAfterItsLastUseAndItsLease() {
        Scene scene = new Scene();
        scene.release("a:1", scene.hold("a:1"));
        scene.pass(LEASE + LIFE);
        assertThat(scene.inspect().fence()).isPositive();
        scene.pass(1);
        assertThat(scene.inspect().fence()).isZero();

        long days = TimeUnit.DAYS.toMillis(3);
        scene.ask(new Command.Acquire(Scene.LOCK, "a:2", false, days, 0, NEVER));
        scene.pass(days + LIFE);
        assertThat(scene.inspect().owner()).isEqualTo("a:2");
        scene.pass(1);
        assertThat(scene.inspect().owner()).isNull();
    }

    @Test
    void aRenewalCountsAsUseOnlyForItsOwner() {
        Scene scene = new Scene();
        long token = scene.hold("a:1");
        scene.pass(LIFE);
        assertThat(scene.renew("a:1", token)).isEqualTo(Renewal.OK);
        scene.pass(LIFE);
        assertThat(scene.renew("a:2", token)).isEqualTo(Renewal.LOST);
        scene.pass(LEASE);
        assertThat(scene.inspect().fence()).isPositive();
        scene.pass(1);
        assertThat(scene.inspect().fence()).isZero();
    }

    @Test
    void anExpiryIsSetAgainAfterAnEighthOfTheLife() {
        for (long passed : new long[] {LIFE / 8, LIFE / 8 + 1}) {
            Scene scene = new Scene();
            scene.hold("a:1");
            scene.pass(passed);
            scene.acquire("a:1");
            scene.pass(LEASE + LIFE - passed + 1);
            assertThat(scene.inspect().fence() > 0).isEqualTo(passed > LIFE / 8);
        }
    }

    @Test
    void anExpiryIsNeverSetEarlier() {
        Scene scene = new Scene();
        long week = IdleLife.LONGEST.toMillis();
        scene.server.setIdleLife(IdleLife.LONGEST);
        long token = scene.hold("a:1");
        scene.server.setIdleLife(IdleLife.SHORTEST);
        scene.renew("a:1", token);
        scene.release("a:1", token);
        scene.pass(LEASE + week);
        assertThat(scene.inspect().fence()).isPositive();
        scene.pass(1);
        assertThat(scene.inspect().fence()).isZero();
    }

    @Test
    void anIdleLifeOutOfRangeIsRefused() {
        Scene scene = new Scene();
        for (Duration absurd :
                List.of(Duration.ofMillis(59_999), Duration.ofDays(7).plusMillis(1))) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> scene.server.setIdleLife(absurd))
                    .withMessage("idleLife must be between 1 min and 7 days, but is " + absurd);
        }
    }
}
