// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.spi.Command;
import io.boltwork.spi.ForceRelease;
import io.boltwork.spi.HeldShare;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Reply.Acquired;
import io.boltwork.spi.Reply.Failed;
import io.boltwork.spi.Reply.Release;
import io.boltwork.spi.Reply.Released;
import io.boltwork.spi.Reply.Renewal;
import io.boltwork.spi.Reply.Verdict;
import io.boltwork.spi.Resize;
import io.boltwork.spi.Share;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests a shared lock at a server whose memory is full: what ends or keeps a hold works, and nothing new begins. */
class ShareMemoryFullTest extends ShareScriptTest {

    private void fillMemory() {
        redis.command("CONFIG", "SET", "maxmemory", "1");
    }

    @AfterEach
    void freeMemory() {
        redis.command("CONFIG", "SET", "maxmemory", "0");
    }

    private void isRefused(String request, int permits, boolean queue) {
        Map<String, String> before = fields();
        Failed failed = a.ask(new Command.Acquire(LOCK, request, queue, 1, 0, Client.NEVER, of(permits)), Failed.class);
        assertThat(failed.executed()).isFalse();
        assertThat(failed.cause().isRetryable()).isTrue();
        assertThat(failed.cause())
                .hasMessageContaining("its memory is full")
                .hasMessageContaining("'boltwork:semaphore:{stock:1001}'");
        assertThat(fields()).isEqualTo(before);
    }

    @Test
    void noNewPartIsGranted() {
        fillMemory();
        isRefused("a:1", 1, true);
        isRefused("a:1", 1, false);
        freeMemory();
        take("a:1", 1);
        fillMemory();
        isRefused("a:2", 1, true);
    }

    @Test
    void noRequestIsQueued() {
        take("a:1", 3);
        fillMemory();
        isRefused("b:1", 1, true);
        assertThat(attempt("b:1", 1).verdict()).isEqualTo(Verdict.REFUSED);
    }

    @Test
    void aHolderMayAskAgain() {
        Acquired granted = take("a:1", 2);
        setEntry("a:1", ENDS, granted.server().millis() + 5_000);
        fillMemory();
        Acquired again = take("a:1", 2);
        assertThat(again.token()).isEqualTo(granted.token());
        assertThat(entry("a:1", ENDS)).isEqualTo(again.server().millis() + Client.LEASE);
    }

    @Test
    void aClaimIsConfirmed() {
        Acquired first = take("a:1", 3);
        await("b:1", 1);
        release("a:1", first);
        b.nextGrant();
        fillMemory();
        take("b:1", 1);
        assertThat(entry("b:1")[CLAIM]).isEqualTo("-");
    }

    @Test
    void aHoldIsReleasedAndTheNextRequestsAreGranted() {
        Acquired granted = take("a:1", 3);
        await("b:1", 1);
        await("b:2", 1);
        fillMemory();
        Command.Acquire next = new Command.Acquire(LOCK, "a:2", true, Client.LEASE, 0, Client.NEVER, of(1));
        Released released = a.ask(
                new Command.Release(LOCK, "a:1", granted.token(), granted.token(), 0, next, held(granted)),
                Released.class);
        assertThat(released.outcome()).isEqualTo(Release.RELEASED);
        assertThat(released.next().verdict()).isEqualTo(Verdict.GRANTED);
        assertThat(b.nextGrant().request()).isEqualTo("b:1");
        assertThat(b.nextGrant().request()).isEqualTo("b:2");
        assertThat(holders()).containsExactly("a:2", "b:1", "b:2");
    }

    @Test
    void markersAndTombstonesAreWritten() {
        Acquired granted = take("a:1", 2);
        long until = granted.server().millis() + 60_000;
        fillMemory();
        a.ask(
                new Command.Release(LOCK, "a:1", granted.token(), granted.token(), 5_000, null, held(granted, until)),
                Released.class);
        assertThat(fields()).containsKeys("ha:1", "h:a:1");
        a.ask(new Command.Withdraw(LOCK, "a:2", 0, new HeldShare(of(1), 9, until)), Reply.Withdrawn.class);
        a.ask(new Command.Withdraw("new", "a:3", 0, new HeldShare(of(1), 9, until)), Reply.Withdrawn.class);
        assertThat(fields()).containsKey("ha:2");
        assertThat(fields("boltwork:semaphore:{new}")).containsKeys("ha:3", "x");
    }

    @Test
    void aHoldIsRenewedAndMadeSmaller() {
        Acquired granted = take("a:1", 3);
        await("b:1", 1);
        fillMemory();
        assertThat(renew("a:1", granted.token(), 90_000, of(2)).outcome()).isEqualTo(Renewal.OK);
        assertThat(entry("a:1", ENDS) - granted.server().millis()).isGreaterThanOrEqualTo(90_000);
        assertThat(b.nextGrant().request()).isEqualTo("b:1");
    }

    @Test
    void aHoldIsRestored() {
        Acquired granted = take("a:1", 3);
        redis.command("FLUSHALL");
        fillMemory();
        assertThat(restore("a:1", granted).outcome()).isEqualTo(Renewal.OK);
        assertThat(holders()).containsExactly("a:1");
        assertThat(field("fence")).isEqualTo(granted.share().blockEnd());
    }

    @Test
    void aWithdrawalAndANudgeGrantToThoseThatWait() {
        take("a:1", 3);
        await("b:1", 3);
        await("b:2", 3);
        fillMemory();
        assertThat(withdraw("a:1").known()).isTrue();
        assertThat(b.nextGrant().request()).isEqualTo("b:1");
        assertThat(holders()).containsExactly("b:1");
        freeMemory();
        take("b:1", 3);
        end("b:1");
        fillMemory();
        nudge();
        assertThat(b.nextGrant().request()).isEqualTo("b:2");
    }

    @Test
    void aClaimThatLapsesDropsTheRequestsOfItsClient() {
        Acquired first = take("a:1", 3);
        await("b:1", 3);
        await("b:2", 3);
        await("a:2", 3);
        release("a:1", first);
        b.nextGrant();
        end("b:1");
        fillMemory();
        nudge();
        assertThat(a.nextGrant().request()).isEqualTo("a:2");
        assertThat(queue()).isEmpty();
    }

    @Test
    void aLockIsForceReleasedAndResized() throws Exception {
        take("a:1", 3);
        await("b:1", 1);
        fillMemory();
        assertThat(force(0).released()).isTrue();
        assertThat(b.nextGrant().request()).isEqualTo("b:1");
        assertThat(Client.next(a.takings).request()).isEqualTo("a:1");
        assertThat(resize(9).capacity()).isEqualTo(9);
        assertThat(fields()).containsEntry("capacity", "9");
        assertThat(a.ask(new Resize("new", KIND, 7), Reply.Resized.class).capacity())
                .isEqualTo(7);
        assertThat(a.ask(new ForceRelease("other", 0, KIND), Reply.Forced.class).released())
                .isFalse();
        assertThat(fields("boltwork:semaphore:{other}")).containsKeys("fence", "all", "x");
    }

    @Test
    void aBlockerIsRemembered() {
        take("a:1", new Share(KIND, 2, PERMITS, 0));
        await("b:1", 3);
        fillMemory();
        nudge();
        assertThat(fields().get("blocker")).endsWith(" b");
    }
}
