// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.redis.call.GroupCall;
import io.boltwork.redis.call.ScriptCall;
import io.boltwork.spi.Command;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Reply.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Tests the maximal cost of one script call when many waiters are gone. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class GoneWaitersTest extends ScriptTest {
    private static final int MANY = 100_000;

    /** The limit of commands inside a call: two for each place, and a few more. */
    private static final long MOST_COMMANDS = 2 * LockBackend.PLACES_PER_STEP + 30;

    /** Writes entries of clients as the scripts would. */
    private void queue(int count, int clients) {
        for (int from = 0; from < count; from += 1_000) {
            List<String> words = new ArrayList<>(List.of("HSET", KEY, "head", "1", "tail", "" + (count + 1)));
            IntStream.rangeClosed(from + 1, from + 1_000).forEach(i -> {
                String request = "dead" + i % clients + ":" + i;
                words.addAll(List.of("q" + i, Client.LEASE + " 0 1 " + request, "r" + request, "" + i));
            });
            redis.command(words.toArray(String[]::new));
        }
    }

    /** Runs a script call, which must not execute too many commands. Returns the processor time in µs. */
    private long call(Runnable command) {
        CallCost cost = CallCost.of(redis, command);
        assertThat(cost.commands().total()).isLessThanOrEqualTo(MOST_COMMANDS);
        return cost.micros();
    }

    private static void isQuick(List<Long> micros) {
        CallCost.areQuick(String.format(Locale.ROOT, "%,d waiters are gone", MANY), micros);
    }

    @Test
    void aCallIsBoundedEvenIf100000WaitersAreGone() {
        long token = a.acquire(LOCK, "a:1").token();
        queue(MANY, 1_000);
        List<Long> times = new ArrayList<>();
        times.add(call(
                () -> assertThat(a.release(LOCK, "a:1", token).claimMillis()).isEqualTo(Reply.AGAIN)));
        times.add(call(() -> assertThat(a.tryAcquire(LOCK, "a:2").verdict()).isEqualTo(Verdict.AGAIN)));
        times.add(call(() -> assertThat(a.acquire(LOCK, "a:3").verdict()).isEqualTo(Verdict.AGAIN)));
        for (int i = 0; i < 20; i++) {
            times.add(call(
                    () -> assertThat(a.withdraw(LOCK, null, 0).claimMillis()).isEqualTo(Reply.AGAIN)));
        }
        assertThat(field("head")).isEqualTo(1 + 23L * LockBackend.PLACES_PER_STEP);
        isQuick(times);
    }

    @Test
    void aClaimLapsesAtOnceEvenIfItsClientHas100000Entries() {
        long token = a.acquire(LOCK, "a:1").token();
        b.acquire(LOCK, "b:0");
        a.release(LOCK, "a:1", token);
        assertThat(b.nextGrant().request()).isEqualTo("b:0");
        queue(MANY, 1);
        set("owner", "dead0:0");
        endLease();
        List<Long> times = new ArrayList<>();
        times.add(call(() -> assertThat(a.tryAcquire(LOCK, "a:2").verdict()).isEqualTo(Verdict.AGAIN)));
        Reply.Acquired answer = a.acquire(LOCK, "a:3");
        while (answer.verdict() == Verdict.AGAIN) {
            times.add(call(() -> {
                if ("a:3".equals(a.withdraw(LOCK, null, 0).owner())) {
                    assertThat(a.nextGrant().request()).isEqualTo("a:3");
                }
            }));
            answer = a.acquire(LOCK, "a:3");
        }
        assertThat(answer.owner()).isEqualTo("a:3");
        assertThat(queue(false)).isEmpty();
        isQuick(times);
    }

    @Test
    void aGroupOfCallsSharesOneBound() {
        long token = a.acquire(LOCK, "a:1").token();
        queue(2_000, 500);
        List<CompletableFuture<Reply>> nudges = new ArrayList<>();
        a.release(LOCK, "a:1", token);
        CommandStats.reset(redis);
        for (int i = 0; i < 8; i++) {
            nudges.add(a.send(new Command.Withdraw(LOCK, null, 0)));
        }
        nudges.forEach(Client::await);
        CommandStats stats = CommandStats.of(redis);
        assertThat(stats.total()).isLessThanOrEqualTo(stats.of("evalsha") * MOST_COMMANDS);
    }

    @Test
    void searchedPlacesCountForTheWholeGroup() {
        long token = a.acquire(LOCK, "a:1").token();
        queue(1_000, 1_000);
        a.release(LOCK, "a:1", token);
        assertThat(field("head")).isEqualTo(1 + LockBackend.PLACES_PER_STEP);
        a.acquire("long", "a:2");
        redis.command(
                "HSET",
                "boltwork:{long}",
                "head",
                "50",
                "tail",
                "1050",
                "q50",
                "1 0 1 b:1",
                "rb:1",
                "50",
                "q60",
                "no entry");
        List<CompletableFuture<Reply>> replies = new ArrayList<>();
        List<ScriptCall<?>> calls = new ArrayList<>();
        for (Command<?> command : List.of(
                new Command.Acquire("long", "b:2", true, Client.LEASE, 0, Client.NEVER),
                new Command.Withdraw(LOCK, null, 0))) {
            CompletableFuture<Reply> reply = new CompletableFuture<>();
            replies.add(reply);
            calls.add(ScriptCall.of(DifferentialBed.connection(a.backend), command, reply::complete));
        }
        DifferentialBed.connection(a.backend).send(new GroupCall(DifferentialBed.connection(a.backend), calls));
        replies.forEach(Client::await);
        assertThat(fields("boltwork:{long}")).as("100 places were examined").containsEntry("head", "148");
        assertThat(field("head")).isEqualTo(1 + 2 * LockBackend.PLACES_PER_STEP - 100);
    }

    @Test
    void aDeletedEntryIsAHole() {
        long token = a.acquire(LOCK, "a:1").token();
        b.acquire(LOCK, "b:1");
        b.acquire(LOCK, "b:2");
        redis.command("HDEL", KEY, "q1");
        assertThat(a.release(LOCK, "a:1", token).owner()).isEqualTo("b:2");
        assertThat(b.acquire(LOCK, "b:1").known()).as("it enters again").isFalse();
        assertThat(b.release(LOCK, "b:2", b.nextGrant().token()).owner()).isEqualTo("b:1");
        assertThat(b.nextGrant().request()).isEqualTo("b:1");
    }

    @Test
    void aMalformedEntryIsAHole() {
        long token = a.acquire(LOCK, "a:1").token();
        b.acquire(LOCK, "b:1");
        b.acquire(LOCK, "b:2");
        set("q1", "no entry");
        assertThat(a.release(LOCK, "a:1", token).owner()).isEqualTo("b:2");
        assertThat(b.nextGrant().request()).isEqualTo("b:2");
        assertThat(fields()).doesNotContainKeys("q1", "head");
    }

    @Test
    void theOnlyEntryIsAHoleAfterItWasDeleted() {
        long token = a.acquire(LOCK, "a:1").token();
        b.acquire(LOCK, "b:1");
        redis.command("HDEL", KEY, "q1");
        assertThat(a.release(LOCK, "a:1", token).owner()).isNull();
        assertThat(b.acquire(LOCK, "b:1").verdict()).isEqualTo(Verdict.GRANTED);
    }

    @Test
    void aQueueWithoutHeadOrTailIsFoundAgain() {
        for (String field : List.of("head", "tail")) {
            long token = a.acquire(LOCK, "a:1").token();
            b.acquire(LOCK, "b:1");
            redis.command("HDEL", KEY, field);
            a.acquire(LOCK, "a:2");
            assertThat(queue()).containsExactly("b:1", "a:2");
            assertThat(a.release(LOCK, "a:1", token).owner()).isEqualTo("b:1");
            b.release(LOCK, "b:1", b.acquire(LOCK, "b:1").token());
            redis.command("DEL", KEY);
        }
        forgetGrants();
    }
}
