// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.spi.Grant;
import io.boltwork.spi.Reply.Withdrawn;
import org.junit.jupiter.api.Test;

class WithdrawScriptTest extends ScriptTest {

    @Test
    void aRequestLeavesTheQueue() {
        a.acquire(LOCK, "a:1");
        b.acquire(LOCK, "b:1");
        Withdrawn withdrawn = b.withdraw(LOCK, "b:1", 0);
        assertThat(withdrawn.known()).isTrue();
        assertThat(withdrawn.owner()).isEqualTo("a:1");
        assertThat(withdrawn.claimMillis()).isZero();
        assertThat(queue()).isEmpty();
        assertThat(b.withdraw(LOCK, "b:1", 0).known()).isFalse();
    }

    @Test
    void anOwnerIsClearedAndTheNextIsGranted() {
        a.acquire(LOCK, "a:1");
        b.acquire(LOCK, "b:1");
        Withdrawn withdrawn = a.withdraw(LOCK, "a:1", 0);
        assertThat(withdrawn.known()).isTrue();
        assertThat(withdrawn.owner()).isEqualTo("b:1");
        assertThat(withdrawn.claimMillis()).isEqualTo(3_000);
        assertThat(b.nextGrant().request()).isEqualTo("b:1");
    }

    @Test
    void anOwnerIsClearedIfTheQueueIsEmpty() {
        long token = a.acquire(LOCK, "a:1").token();
        Withdrawn withdrawn = a.withdraw(LOCK, "a:1", token);
        assertThat(withdrawn.owner()).isNull();
        assertThat(fields()).containsEntry("owner", "");
        assertThat(field("fence")).as("never lowered").isEqualTo(token + BLOCK - 1);
    }

    @Test
    void theFenceIsRaisedToTheLastTokenUsed() {
        assertThat(a.withdraw(LOCK, "a:1", 4_711).known()).isFalse();
        assertThat(fields()).containsEntry("fence", "4711");
        a.withdraw(LOCK, "a:1", 4_000);
        assertThat(fields()).containsEntry("fence", "4711");
        assertThat((Long) redis.command("PTTL", KEY)).isGreaterThan(590_000);
    }

    @Test
    void aNudgeOfALockThatDoesNotExistWritesNothing() {
        Withdrawn nudged = a.withdraw(LOCK, null, 0);
        assertThat(nudged.known()).isFalse();
        assertThat(nudged.owner()).isNull();
        assertThat(fields()).isEmpty();
    }

    @Test
    void aNudgeLeavesALeaseAlone() {
        a.acquire(LOCK, "a:1");
        b.acquire(LOCK, "b:1");
        Withdrawn nudged = b.withdraw(LOCK, null, 0);
        assertThat(nudged.owner()).isEqualTo("a:1");
        assertThat(queue()).containsExactly("b:1");
    }

    @Test
    void aNudgeEndsALeaseThatRanOut() {
        a.acquire(LOCK, "a:1");
        endLease();
        assertThat(b.withdraw(LOCK, null, 0).owner()).isNull();
        assertThat(fields()).containsEntry("owner", "");
    }

    @Test
    void aNudgeGrantsTheNextAfterALapsedClaim() {
        long token = a.acquire(LOCK, "a:1").token();
        b.acquire(LOCK, "b:1");
        b.acquire(LOCK, "b:2");
        a.acquire(LOCK, "a:2");
        a.release(LOCK, "a:1", token);
        Grant lapsing = b.nextGrant();
        Withdrawn early = a.withdraw(LOCK, null, 0);
        assertThat(early.owner()).isEqualTo("b:1");
        assertThat(early.claimMillis()).isBetween(1L, 3_000L);

        endLease();
        Withdrawn nudged = a.withdraw(LOCK, null, 0);
        assertThat(nudged.owner()).isEqualTo("a:2");
        assertThat(a.nextGrant().token()).isGreaterThan(lapsing.token());
        assertThat(queue()).isEmpty();
    }

    @Test
    void aNudgeRemovesWaitersThatDoNotListen() {
        a.acquire(LOCK, "a:1");
        a.acquire(LOCK, "dead:1");
        a.acquire(LOCK, "dead:2");
        endLease();
        assertThat(a.withdraw(LOCK, null, 0).owner()).isNull();
        assertThat(fields()).containsEntry("owner", "");
        assertThat(queue()).isEmpty();
    }
}
