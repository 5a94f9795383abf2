// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.spi.Command.Restore;
import io.boltwork.spi.Reply.Renewal;
import io.boltwork.spi.Reply.Restored;
import io.boltwork.spi.Reply.Verdict;
import org.junit.jupiter.api.Test;

class RestoreScriptTest extends ScriptTest {

    @Test
    void aHoldThatTheServerLostComesBackWithItsToken() {
        long token = a.acquire(LOCK, "a:1").token();
        redis.command("FLUSHALL");
        Restored restored = a.ask(new Restore(LOCK, "a:1", token, Client.LEASE, 300, Client.NEVER), Restored.class);
        assertThat(restored.outcome()).isEqualTo(Renewal.OK);
        assertThat(restored.owner()).isEqualTo("a:1");
        assertThat(fields())
                .containsEntry("owner", "a:1")
                .containsEntry("token", "" + token)
                .containsEntry("fence", "" + (token + BLOCK - 1))
                .containsEntry("claim", "")
                .containsEntry("until", "" + (restored.server().millis() + Client.LEASE + 300));
        assertThat((Long) redis.command("PTTL", KEY)).isGreaterThan(590_000);
        assertThat(a.renew(LOCK, "a:1", token, Client.LEASE).items().get(0).outcome())
                .isEqualTo(Renewal.OK);
    }

    @Test
    void aLockOfAnotherOwnerIsNotTaken() {
        long token = a.acquire(LOCK, "a:1").token();
        redis.command("FLUSHALL");
        b.acquire(LOCK, "b:1");
        Restored refused = a.restore(LOCK, "a:1", token + 1_000_000);
        assertThat(refused.outcome()).isEqualTo(Renewal.LOST);
        assertThat(refused.owner()).isEqualTo("b:1");
        assertThat(fields()).containsEntry("owner", "b:1");
    }

    @Test
    void aHoldIsLostIfALaterTokenWasIssued() {
        long token = a.acquire(LOCK, "a:1").token();
        a.release(LOCK, "a:1", token);
        assertThat(a.restore(LOCK, "a:1", token)).extracting(Restored::outcome).isEqualTo(Renewal.LOST);
        assertThat(a.restore(LOCK, "a:1", token).owner()).isNull();
    }

    @Test
    void anExpiredLeaseDoesNotPreventARestore() {
        b.acquire(LOCK, "b:1");
        endLease();
        long token = field("fence") + 1;
        assertThat(a.restore(LOCK, "a:1", token).outcome()).isEqualTo(Renewal.OK);
        assertThat(field("token")).isEqualTo(token);
    }

    @Test
    void aRestoreAfterALapsedClaimDropsItsClientsRequests() {
        long token = a.acquire(LOCK, "a:1").token();
        b.acquire(LOCK, "b:1");
        b.acquire(LOCK, "b:2");
        a.acquire(LOCK, "a:2");
        a.release(LOCK, "a:1", token);
        b.nextGrant();
        endLease();
        assertThat(a.restore(LOCK, "a:3", field("fence") + 1).outcome()).isEqualTo(Renewal.OK);
        assertThat(fields()).containsEntry("claim", "");
        assertThat(queue()).containsExactly("a:2");
    }

    @Test
    void aStaleRestoreChangesNothing() {
        Restored stale = a.ask(new Restore(LOCK, "a:1", 1_000, Client.LEASE, 0, 1), Restored.class);
        assertThat(stale.outcome()).isEqualTo(Renewal.STALE);
        assertThat(stale.owner()).isNull();
        assertThat(fields()).isEmpty();
    }

    @Test
    void theRequestLeavesTheQueueInAnyCase() {
        long token = a.acquire(LOCK, "a:1").token();
        assertThat(b.acquire(LOCK, "b:1").verdict()).isEqualTo(Verdict.QUEUED);
        assertThat(b.restore(LOCK, "b:1", token).outcome()).isEqualTo(Renewal.LOST);
        assertThat(queue()).isEmpty();

        b.acquire(LOCK, "b:1");
        endLease();
        assertThat(b.restore(LOCK, "b:1", field("fence") + 1).outcome()).isEqualTo(Renewal.OK);
        assertThat(queue()).isEmpty();
    }

    @Test
    void aRefusedRestoreDoesNotCreateTheLock() {
        assertThat(a.restore(LOCK, "a:1", 0).outcome()).isEqualTo(Renewal.LOST);
        assertThat(fields()).isEmpty();
    }
}
