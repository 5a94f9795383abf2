// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.LockKind;
import io.boltwork.spi.Command;
import io.boltwork.spi.HeldShare;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Reply.Acquired;
import io.boltwork.spi.Reply.Failed;
import io.boltwork.spi.Reply.Released;
import io.boltwork.spi.Reply.Verdict;
import io.boltwork.spi.Reply.Withdrawn;
import io.boltwork.spi.Share;
import io.boltwork.testkit.fault.FaultyLink;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tests that calls sent while many are under way go out in groups, without any difference in the answers. */
class GroupTest extends ScriptTest {
    private static final int MANY = 200;
    private static final int PERMITS = 100;

    @Test
    void manyCallsAtOnceBecomeFewRequestsAndAllAreAnswered() {
        CommandStats.reset(redis);
        List<CompletableFuture<Reply>> acquired = all(i -> acquire("lock-" + i, i));
        List<CompletableFuture<Reply>> released = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            Acquired granted = (Acquired) Client.await(acquired.get(i));
            assertThat(granted.verdict()).isEqualTo(Verdict.GRANTED);
            assertThat(granted.owner()).isEqualTo(a.request(i));
            released.add(a.send(release("lock-" + i, i, granted.token())));
        }
        for (CompletableFuture<Reply> each : released) {
            assertThat(((Released) Client.await(each)).outcome()).isEqualTo(Reply.Release.RELEASED);
        }
        assertThat(CommandStats.of(redis).requests()).isLessThan(MANY);
    }

    @Test
    void callsOfAllKindsBecomeFewRequestsTogether() {
        all(i -> acquire("warm-" + i, i)).forEach(Client::await); // also sends the text of the group's script
        CommandStats.reset(redis);
        List<CompletableFuture<Reply>> acquired =
                all(i -> i % 2 == 0 ? acquire("lock-" + i, i) : acquire("lock-" + i, a.request(i), 1));
        List<CompletableFuture<Reply>> ended = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            Acquired granted = (Acquired) Client.await(acquired.get(i));
            assertThat(granted.verdict()).isEqualTo(Verdict.GRANTED);
            ended.add(a.send(
                    switch (i % 4) {
                        case 0, 2 -> release("lock-" + i, i, granted.token());
                        case 1 -> releaseShare("lock-" + i, i, granted);
                        default -> withdraw("lock-" + i, a.request(i));
                    }));
        }
        for (int i = 0; i < MANY; i++) {
            Reply reply = Client.await(ended.get(i));
            if (i % 4 == 3) {
                assertThat(((Withdrawn) reply).known()).isTrue();
            } else {
                assertThat(((Released) reply).outcome()).isEqualTo(Reply.Release.RELEASED);
            }
        }
        assertThat(CommandStats.of(redis).requests()).isLessThan(MANY);
    }

    @Test
    void theCallsOfAGroupGrantAtMostAHundredRequestsTogether() {
        int locks = 40;
        int waiting = 10; // the places of sixteen queues are fewer than one step examines
        for (int lock = 0; lock < locks; lock++) {
            Client.await(a.send(acquire("lock-" + lock, a.request(lock), PERMITS)));
            for (int i = 0; i < waiting; i++) {
                Client.await(b.send(acquire("lock-" + lock, b.request(lock * waiting + i), 1)));
            }
        }
        List<CompletableFuture<Reply>> withdrawn = IntStream.range(0, locks)
                .mapToObj(lock -> a.send(withdraw("lock-" + lock, a.request(lock))))
                .toList();
        List<Long> claims = withdrawn.stream()
                .map(each -> ((Withdrawn) Client.await(each)).claimMillis())
                .toList();
        assertThat(claims).as("more than one call grants").contains(Reply.AGAIN);
        for (int lock = 0; lock < locks; lock++) {
            if (claims.get(lock) == Reply.AGAIN) {
                Client.await(a.send(withdraw("lock-" + lock, null)));
            }
        }
        for (int i = 0; i < locks * waiting; i++) {
            b.nextGrant();
        }
    }

    @Test
    void commandsForOneLockAreExecutedInOrder() {
        // otherwise an unknown script is sent again, behind the others
        acquireAndWithdraw("warm", 1).forEach(Client::await);
        acquireAndWithdraw("warm", MANY).forEach(Client::await);
        List<CompletableFuture<Reply>> replies = acquireAndWithdraw(LOCK, MANY);
        long last = 0;
        for (int i = 0; i < MANY; i++) {
            Acquired granted = (Acquired) Client.await(replies.get(2 * i));
            assertThat(granted.verdict()).isEqualTo(Verdict.GRANTED);
            assertThat(granted.token()).isGreaterThan(last);
            last = granted.token();
            assertThat(((Withdrawn) Client.await(replies.get(2 * i + 1))).known())
                    .isTrue();
        }
    }

    @Test
    void callsFromTheWritingThreadDoNotOvertakeEarlierCalls() {
        acquireAndWithdraw("warm", 1).forEach(Client::await);
        CompletableFuture<Void> handling = new CompletableFuture<>();
        CompletableFuture<Void> sent = new CompletableFuture<>();
        CompletableFuture<Reply> withdrawn = new CompletableFuture<>();
        a.backend.send(acquire("other", 1), reply -> {
            handling.complete(null);
            sent.join();
            a.backend.send(new Command.Withdraw(LOCK, a.request(2), 0), withdrawn::complete);
        });
        handling.join();
        CompletableFuture<Reply> acquired = a.send(acquire(LOCK, 2));
        sent.complete(null);
        assertThat(((Acquired) Client.await(acquired)).verdict()).isEqualTo(Verdict.GRANTED);
        assertThat(((Withdrawn) Client.await(withdrawn)).known()).isTrue();
    }

    @Test
    void anErrorAffectsOnlyItsOwnCall() {
        redis.command("SET", "boltwork:{lock-50}", "no lock");
        List<CompletableFuture<Reply>> acquired = all(i -> acquire("lock-" + i, i));
        for (int i = 0; i < MANY; i++) {
            Reply reply = Client.await(acquired.get(i));
            if (i == 50) {
                assertThat(reply)
                        .isInstanceOfSatisfying(
                                Failed.class,
                                failed -> assertThat(failed.cause())
                                        .hasMessageContaining("WRONGTYPE")
                                        .hasMessageContaining("boltwork:{lock-50}"));
                assertThat(((Failed) reply).executed()).isFalse();
            } else {
                assertThat(reply)
                        .isInstanceOfSatisfying(
                                Acquired.class,
                                granted -> assertThat(granted.verdict()).isEqualTo(Verdict.GRANTED));
            }
        }
    }

    @Test
    void aMissingRightFailsAllCallsOfAGroup() {
        redis.command("ACL", "SETUSER", "limited", "reset", "on", ">p", "~*", "&*", "+@all", "-hset");
        try (Client limited =
                Client.open("limited", "redis://limited:p@" + redis.uri().substring("redis://".length()))) {
            List<CompletableFuture<Reply>> acquired = IntStream.range(0, MANY)
                    .mapToObj(i -> limited.send(acquire("lock-" + i, i)))
                    .toList();
            for (CompletableFuture<Reply> each : acquired) {
                assertThat(Client.await(each))
                        .isInstanceOfSatisfying(
                                Failed.class,
                                failed -> assertThat(failed.cause()).hasMessageContaining("lacks a right"));
            }
        }
    }

    @Test
    void theScriptTextIsSentToAServerThatLacksIt() {
        redis.command("SCRIPT", "FLUSH");
        for (CompletableFuture<Reply> each : all(i -> acquire("lock-" + i, i))) {
            assertThat(((Acquired) Client.await(each)).verdict()).isEqualTo(Verdict.GRANTED);
        }
    }

    @Test
    void callsOfALostConnectionFailAndUnsentOnesWereNotExecuted() {
        try (FaultyLink link = FaultyLink.to(redis);
                Client far = Client.open("far", link.uri())) {
            link.halfOpen(FaultyLink.Kind.ALL).inject();
            List<CompletableFuture<Reply>> sent = IntStream.range(0, MANY)
                    .mapToObj(i -> far.send(acquire("lock-" + i, i)))
                    .toList();
            link.cut(FaultyLink.Kind.ALL).inject();
            List<Boolean> executed = sent.stream()
                    .map(each -> ((Failed) Client.await(each)).executed())
                    .toList();
            assertThat(executed).startsWith(true).endsWith(false);
        }
    }

    private List<CompletableFuture<Reply>> acquireAndWithdraw(String lock, int times) {
        List<CompletableFuture<Reply>> replies = new ArrayList<>();
        for (int i = 0; i < times; i++) {
            replies.add(a.send(acquire(lock, i)));
            replies.add(a.send(new Command.Withdraw(lock, a.request(i), 0)));
        }
        return replies;
    }

    private List<CompletableFuture<Reply>> all(IntFunction<Command<?>> command) {
        return IntStream.range(0, MANY).mapToObj(i -> a.send(command.apply(i))).toList();
    }

    private Command.Acquire acquire(String lock, int number) {
        return new Command.Acquire(lock, a.request(number), true, Client.LEASE, 0, Client.NEVER);
    }

    private static Share of(int permits) {
        return new Share(LockKind.SEMAPHORE, permits, PERMITS, 0);
    }

    private static Command.Acquire acquire(String semaphore, String request, int permits) {
        return new Command.Acquire(semaphore, request, true, Client.LEASE, 0, Client.NEVER, of(permits));
    }

    private static Command.Withdraw withdraw(String semaphore, String request) {
        return new Command.Withdraw(semaphore, request, 0, new HeldShare(of(1), 0, 0));
    }

    private Command.Release releaseShare(String semaphore, int number, Acquired granted) {
        HeldShare held = new HeldShare(of(1), granted.share().blockEnd(), 0);
        return new Command.Release(semaphore, a.request(number), granted.token(), granted.token(), 0, null, held);
    }

    private Command.Release release(String lock, int number, long token) {
        return new Command.Release(lock, a.request(number), token, token, 0, null);
    }
}
