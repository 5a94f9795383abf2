// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.spi.Command;
import io.boltwork.spi.HoldTaken;
import io.boltwork.spi.IdleLife;
import io.boltwork.spi.Reply.Acquired;
import io.boltwork.spi.Reply.Forced;
import io.boltwork.spi.Reply.Released;
import io.boltwork.spi.Reply.Renewal;
import io.boltwork.spi.Reply.Resized;
import io.boltwork.spi.Reply.Verdict;
import io.boltwork.spi.Share;
import io.boltwork.spi.Shrunk;
import io.boltwork.testkit.wait.Slack;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests what {@code shareforcerelease.lua} and {@code shareresize.lua} write and answer, and the messages they send.
 */
class ShareForceScriptTest extends ShareScriptTest {

    @BeforeEach
    @AfterEach
    void forgetMessages() {
        a.takings.clear();
        b.takings.clear();
        a.shrinkings.clear();
        b.shrinkings.clear();
    }

    private static HoldTaken next(Client client) throws InterruptedException {
        return client.takings.poll(Slack.seconds(10).toMillis(), TimeUnit.MILLISECONDS);
    }

    @Test
    void allHoldsBecomeTombstones() throws Exception {
        Acquired first = take("a:1", 2);
        Acquired second = take("b:1", 1);
        long until = entry("a:1", ENDS);
        Forced forced = force(0);
        assertThat(forced.released()).isTrue();
        assertThat(forced.claimMillis()).isZero();
        assertThat(entry("a:1"))
                .as("a failover may have lost a renewal")
                .containsExactly("1", "0", "0", "0", "" + (until + Client.LEASE), "0", "-");
        assertThat(entry("b:1", WEIGHT)).isZero();
        assertThat(field("fence")).isGreaterThan(second.share().blockEnd()).isEqualTo(field("all"));
        assertThat(holders()).isEmpty();
        HoldTaken taken = next(a);
        assertThat(taken.lock()).isEqualTo(LOCK);
        assertThat(taken.kind()).isEqualTo(KIND);
        assertThat(taken.request()).isEqualTo("a:1");
        assertThat(taken.token()).isEqualTo(first.token());
        assertThat(taken.server()).isEqualTo(forced.server());
        assertThat(next(b).token()).isEqualTo(second.token());

        assertThat(renew("a:1", first.token(), Client.LEASE, of(2)).outcome()).isEqualTo(Renewal.LOST);
        assertThat(restore("a:1", first).outcome()).isEqualTo(Renewal.LOST);
    }

    @Test
    void oneHoldIsTakenByAnyTokenOfItsBlock() throws Exception {
        for (int used : new int[] {0, 500, BLOCK - 1}) {
            redis.command("DEL", SHARED);
            Acquired first = take("a:1", 1);
            take("b:1", 1);
            long other = field("fence");
            Forced forced = force(Math.min(first.share().blockEnd(), first.token() + used));
            assertThat(forced.released()).isTrue();
            assertThat(holders()).containsExactly("b:1");
            assertThat(next(a).request()).isEqualTo("a:1");
            assertThat(field("fence")).isGreaterThan(other);
            assertThat(fields()).as("others may come back").doesNotContainKey("all");
        }
        assertThat(b.takings).isEmpty();
    }

    @Test
    void otherTokensTakeNothing() {
        Acquired granted = take("a:1", 1);
        take("b:1", 1);
        Map<String, String> before = fields();
        for (long token : new long[] {1, granted.token() - 1, field("fence") + 1}) {
            assertThat(force(token).released()).isFalse();
        }
        assertThat(fields()).isEqualTo(before);
    }

    @Test
    void aLeaseThatHasEndedIsNotTaken() {
        Acquired granted = take("a:1", 1);
        end("a:1");
        assertThat(force(granted.token()).released()).isFalse();
        assertThat(field("n")).as("it is removed").isZero();
        assertThat(field("fence")).isEqualTo(granted.share().blockEnd());
    }

    @Test
    void keptPartsAreFreedWithAllHoldsOnly() {
        Acquired granted = take("a:1", 2);
        a.ask(
                new Command.Release(LOCK, "a:1", granted.token(), granted.token(), 60_000, null, held(granted)),
                Released.class);
        assertThat(force(granted.token()).released()).isFalse();
        assertThat(force(1).released()).isFalse();
        assertThat(field("used")).isEqualTo(2);
        assertThat(force(0).released()).isTrue();
        assertThat(field("n")).as("a marker leaves no tombstone").isZero();
        assertThat(a.takings).isEmpty();
    }

    @Test
    void aHoldThatTheServerForgotMustNotComeBack() {
        Acquired granted = take("a:1", 1);
        redis.command("FLUSHALL");
        assertThat(force(granted.token()).released()).isFalse();
        assertThat(fields()).isEmpty();
        assertThat(force(0).released()).isFalse();
        assertThat(field("all")).isEqualTo(field("fence")).isGreaterThan(granted.token());
        assertThat(restore("a:1", granted).outcome()).isEqualTo(Renewal.LOST);
        assertThat((Long) redis.command("PTTL", SHARED)).isGreaterThan(IdleLife.FORCED_MILLIS - 10_000);
    }

    @Test
    void theFenceOutlivesTheTombstonesByADay() {
        long week = 7 * IdleLife.FORCED_MILLIS;
        long token = a.ask(new Command.Acquire(LOCK, "a:1", true, week, 0, Client.NEVER, of(1)), Acquired.class)
                .token();
        force(token);
        assertThat((Long) redis.command("PTTL", SHARED))
                .as("the rest of the lease, a lease and a day")
                .isGreaterThan(2 * week + IdleLife.FORCED_MILLIS - 10_000);
    }

    @Test
    void whatIsFreeIsGrantedToThoseThatWait() {
        Acquired granted = take("a:1", 3);
        await("b:1", 1);
        await("a:2", 1);
        await("b:2", 2);
        Forced forced = force(granted.token());
        assertThat(forced.claimMillis()).isEqualTo(3_000);
        assertThat(b.nextGrant().token()).isGreaterThan(granted.share().blockEnd() + 1);
        assertThat(a.nextGrant().request()).isEqualTo("a:2");
        assertThat(queue()).containsExactly("b:2");
    }

    @Test
    void aFenceAheadOfTheClockGrowsByOne() {
        long ahead = take("a:1", 1).token() + 3_600_000_000L;
        set("fence", ahead);
        force(0);
        assertThat(field("fence")).isEqualTo(ahead + 1);
    }

    // ================================================================ resize

    @Test
    void aCapacityIsSetWithItsTime() {
        Resized resized = resize(5);
        assertThat(resized.capacity()).isEqualTo(5);
        assertThat(resized.set() / 1_000).isEqualTo(resized.server().millis());
        assertThat(resized.claimMillis()).isZero();
        assertThat(fields())
                .isEqualTo(Map.of(
                        "capacity", "5",
                        "set", "" + resized.set(),
                        "x", "" + (resized.server().millis() + IdleLife.SET_MILLIS)));
        long ahead = resized.set() + 3_600_000_000L;
        set("set", ahead);
        assertThat(resize(4).set()).isEqualTo(ahead + 1);
        assertThat(acquire("a:1", of(1)).share().capacity())
                .as("a configured one does not count")
                .isEqualTo(4);
    }

    @Test
    void aLargerCapacityIsGrantedToThoseThatWait() {
        take("a:1", 3);
        await("b:1", 2);
        await("a:2", 2);
        assertThat(resize(6).claimMillis()).isEqualTo(3_000);
        assertThat(b.nextGrant().request()).isEqualTo("b:1");
        assertThat(queue()).containsExactly("a:2");
    }

    @Test
    void aSmallerCapacityTakesNothingAway() {
        take("a:1", 2);
        take("a:2", 1);
        await("b:1", 3);
        await("b:2", 1);
        resize(1);
        assertThat(holders()).containsExactly("a:1", "a:2");
        assertThat(queue()).as("the head can never fit").containsExactly("b:2");
        assertThat(acquire("b:1", of(3)).verdict()).isEqualTo(Verdict.TOO_LARGE);
        assertThat(attempt("a:3", 1).share().free()).isZero();
        withdraw("a:1");
        assertThat(queue()).containsExactly("b:2");
        withdraw("a:2");
        assertThat(b.nextGrant().request()).isEqualTo("b:2");
    }

    @Test
    void aSmallerCapacityIsToldToEachClientThatHoldsOrWaits() throws Exception {
        take("a:1", 3);
        for (int i = 2; i <= 120; i++) {
            await("a:" + i, 3);
        }
        await("b:1", 1);
        await("b:2", 3);
        resize(PERMITS + 1);
        toldAll(resize(2));
        toldAll(resize(1));
        assertThat(a.shrinkings).as("one message each").isEmpty();
        assertThat(b.shrinkings).isEmpty();
    }

    private void toldAll(Resized resized) throws InterruptedException {
        for (Client client : List.of(a, b)) {
            Shrunk told = client.shrinkings.poll(Slack.seconds(10).toMillis(), TimeUnit.MILLISECONDS);
            String request = client == a ? "a:1" : "b:1";
            assertThat(told).isEqualTo(new Shrunk(LOCK, request, resized.capacity(), resized.server(), KIND));
        }
    }

    @Test
    void aResizedLockLivesFor30DaysAfterItsLastUse() {
        resize(2);
        assertThat((Long) redis.command("PTTL", SHARED)).isGreaterThan(IdleLife.SET_MILLIS - 10_000);
        set("x", 1);
        redis.command("PEXPIRE", SHARED, "1000");
        take("a:1", new Share(KIND, 1, PERMITS, 0));
        assertThat((Long) redis.command("PTTL", SHARED)).isGreaterThan(IdleLife.SET_MILLIS);
    }
}
