// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.spi.Announce;
import io.boltwork.spi.ClientRecord;
import io.boltwork.spi.Command;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Reply.Acquired;
import io.boltwork.spi.Reply.Failed;
import io.boltwork.spi.Reply.Release;
import io.boltwork.spi.Reply.Released;
import io.boltwork.spi.Reply.Renewal;
import io.boltwork.spi.Reply.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class MemoryFullTest extends ScriptTest {

    private void fillMemory() {
        redis.command("CONFIG", "SET", "maxmemory", "1");
    }

    @AfterEach
    void freeMemory() {
        redis.command("CONFIG", "SET", "maxmemory", "0");
    }

    @Test
    void noNewLockIsGranted() {
        fillMemory();
        Failed failed = a.ask(new Command.Acquire(LOCK, "a:1", true, 1, 0, Client.NEVER), Failed.class);
        assertThat(failed.executed()).isFalse();
        assertThat(failed.cause().isRetryable()).isTrue();
        assertThat(failed.cause())
                .hasMessageContaining("its memory is full")
                .hasMessageContaining("'stock:1001'")
                .hasMessageContaining("127.0.0.1:" + redis.port());
        assertThat(fields()).isEmpty();
    }

    @Test
    void noRequestIsQueued() {
        a.acquire(LOCK, "a:1");
        fillMemory();
        assertThat(b.ask(new Command.Acquire(LOCK, "b:1", true, 1, 0, Client.NEVER), Failed.class)
                        .executed())
                .isFalse();
        assertThat(queue()).isEmpty();
    }

    @Test
    void theOwnerMayRelease() {
        long token = a.acquire(LOCK, "a:1").token();
        fillMemory();
        assertThat(a.release(LOCK, "a:1", token).outcome()).isEqualTo(Release.RELEASED);
        assertThat(fields()).containsEntry("owner", "").containsEntry("fence", "" + token);
    }

    /**
     * Redis refuses only the first write of a script, so it does not refuse calls that are in one group with a
     * release.
     */
    @Test
    void aLockRequestedInOneGroupWithAReleaseIsGranted() {
        List<CompletableFuture<Reply>> replies = new ArrayList<>();
        List<Long> tokens = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            tokens.add(a.acquire(LOCK + i, "a:" + i).token());
        }
        fillMemory();
        for (int i = 0; i < 100; i++) {
            long token = tokens.get(i);
            replies.add(a.send(new Command.Release(LOCK + i, "a:" + i, token, token, 0, null)));
            replies.add(a.send(new Command.Acquire(LOCK + "new" + i, "a:1" + i, true, 1, 0, Client.NEVER)));
        }
        List<Reply> answers = replies.stream().map(Client::await).toList();
        assertThat(answers.stream().filter(Acquired.class::isInstance)).isNotEmpty();
        assertThat(answers.stream().filter(Released.class::isInstance)).hasSize(100);
    }

    @Test
    void aReleaseGrantsTheNextWaiterAndQueuesItsNextRequest() {
        long token = a.acquire(LOCK, "a:1").token();
        b.acquire(LOCK, "b:1");
        fillMemory();
        Command.Acquire next = new Command.Acquire(LOCK, "a:2", true, Client.LEASE, 0, Client.NEVER);
        assertThat(a.ask(new Command.Release(LOCK, "a:1", token, token, 0, next), Released.class)
                        .next())
                .extracting(answer -> answer.verdict())
                .isEqualTo(Verdict.QUEUED);
        assertThat(b.nextGrant().request()).isEqualTo("b:1");
        assertThat(queue()).containsExactly("a:2");
    }

    @Test
    void aHoldIsRenewed() {
        long token = a.acquire(LOCK, "a:1").token();
        fillMemory();
        assertThat(a.renew(LOCK, "a:1", token, 90_000).items().get(0).outcome()).isEqualTo(Renewal.OK);
        assertThat(field("until") - token / 1_000).isGreaterThanOrEqualTo(90_000);
    }

    @Test
    void aHoldIsRestored() {
        fillMemory();
        assertThat(a.restore(LOCK, "a:1", 1_000_000).outcome()).isEqualTo(Renewal.OK);
        assertThat(fields()).containsEntry("owner", "a:1");
    }

    @Test
    void aForgottenHoldIsReleased() {
        fillMemory();
        assertThat(a.release(LOCK, "a:1", 1_000_000).outcome()).isEqualTo(Release.FORGOTTEN);
        assertThat(fields()).containsEntry("fence", "1000000");
    }

    @Test
    void aWithdrawGrantsTheNextWaiter() {
        a.acquire(LOCK, "a:1");
        b.acquire(LOCK, "b:1");
        fillMemory();
        assertThat(a.withdraw(LOCK, "a:1", 5).owner()).isEqualTo("b:1");
        assertThat(b.nextGrant().token()).isEqualTo(field("token"));
    }

    @Test
    void aNudgeGrantsTheNext() {
        a.acquire(LOCK, "a:1");
        b.acquire(LOCK, "b:1");
        endLease();
        fillMemory();
        assertThat(a.withdraw(LOCK, null, 0).owner()).isEqualTo("b:1");
        assertThat(b.nextGrant().token()).isEqualTo(field("token"));
    }

    @Test
    void aClaimEndsEvenIfItsClientHasNothingElseInTheQueue() {
        long token = a.acquire(LOCK, "a:1").token();
        b.acquire(LOCK, "b:1");
        a.acquire(LOCK, "a:2");
        a.release(LOCK, "a:1", token);
        b.nextGrant();
        endLease();
        fillMemory();
        assertThat(a.withdraw(LOCK, null, 0).owner()).isEqualTo("a:2");
        assertThat(a.nextGrant().token()).isEqualTo(field("token"));
    }

    @Test
    void theExpiryOfAKeyIsMoved() {
        a.acquire(LOCK, "a:1");
        set("x", 1);
        fillMemory();
        assertThat(a.withdraw(LOCK, null, 0).owner()).isEqualTo("a:1");
        assertThat(field("x")).isGreaterThan(1);
    }

    @Test
    void aForceReleaseGrantsTheNextWaiter() {
        long token = a.acquire(LOCK, "a:1").token();
        b.acquire(LOCK, "b:1");
        fillMemory();
        assertThat(a.force(LOCK, token).released()).isTrue();
        assertThat(b.nextGrant().token()).isEqualTo(field("token")).isGreaterThan(token + BLOCK);
    }

    @Test
    void aForgottenLockIsForceReleased() {
        fillMemory();
        assertThat(a.force(LOCK, 0).released()).isFalse();
        assertThat(field("fence")).isPositive();
        assertThat(a.restore(LOCK, "a:1", 1_000_000).outcome()).isEqualTo(Renewal.LOST);
    }

    @Test
    void noClientIsAnnouncedButALeavingOneIsRemoved() {
        ClientRecord clientRecord = new ClientRecord("a", "shop", "host", 42, 1, 1);
        a.announce(clientRecord, 60_000);
        fillMemory();
        assertThat(a.ask(new Announce(clientRecord, 60_000, "n"), Failed.class).executed())
                .isFalse();
        assertThat(a.identify("a")).containsExactly(clientRecord);
        a.announce(clientRecord, 0);
        assertThat(a.identify("a")).isEmpty();
    }

    @Test
    void aLeaseThatRanOutEnds() {
        a.acquire(LOCK, "a:1");
        endLease();
        fillMemory();
        assertThat(a.withdraw(LOCK, null, 0).owner()).isNull();
    }
}
