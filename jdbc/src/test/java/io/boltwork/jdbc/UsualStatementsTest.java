// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.spi.BackendListener;
import io.boltwork.spi.Command;
import io.boltwork.spi.ConditionWait;
import io.boltwork.spi.ForceRelease;
import io.boltwork.spi.Grant;
import io.boltwork.spi.HeldShare;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.Query;
import io.boltwork.spi.QueryReply;
import io.boltwork.spi.Reply;
import io.boltwork.spi.ServerTime;
import io.boltwork.spi.Share;
import io.boltwork.spi.Signal;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Slack;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests that a lock returns to the short forms of its commands after anything unusual has happened to it: a pair then
 * costs as many statements as before. The subclasses name the database.
 */
abstract class UsualStatementsTest {
    private static final long LEASE = 60_000;
    private static final long NEVER = Long.MAX_VALUE;

    private final String name = "usual " + UUID.randomUUID();
    private final BlockingQueue<Grant> grants = new LinkedBlockingQueue<>();
    private CountedSource counted;
    private LockBackend a;
    private LockBackend b;

    /** An event of a lock that leaves nothing behind. */
    enum Unusual {
        A_WAITER(test -> {
            Reply.Acquired held = test.acquire("a:1", LEASE);
            test.acquire("b:1", LEASE);
            test.release("a:1", held.token());
            test.release("b:1", test.granted().token());
        }),
        A_WAITER_THAT_IS_WITHDRAWN(test -> {
            Reply.Acquired held = test.acquire("a:1", LEASE);
            test.acquire("b:1", LEASE);
            test.ask(test.b, new Command.Withdraw(test.name, "b:1", 0));
            test.release("a:1", held.token());
        }),
        A_WAITER_THAT_DOES_NOT_LISTEN(test -> {
            Reply.Acquired held = test.acquire("a:1", LEASE);
            test.acquire("dead:1", LEASE);
            test.release("a:1", held.token());
        }),
        A_LEASE_THAT_ENDS(test -> {
            test.acquire("a:1", 10);
            test.ends();
        }),
        A_CLAIM_THAT_LAPSES(test -> {
            Reply.Acquired held = test.acquire("a:1", LEASE);
            test.acquire("b:1", 10); // its claim is as short
            test.release("a:1", held.token());
            test.granted();
            test.ends();
            test.ask(test.a, new Command.Withdraw(test.name, null, 0));
            test.claimsAreLongAgain();
        }),
        A_CLAIM_THAT_LAPSES_BEFORE_OTHERS(test -> {
            Reply.Acquired held = test.acquire("a:1", LEASE);
            test.acquire("b:1", 10);
            test.acquire("b:2", LEASE);
            test.acquire("a:2", LEASE);
            test.release("a:1", held.token());
            test.granted();
            test.ends();
            test.ask(test.a, new Command.Withdraw(test.name, null, 0));
            Reply.Acquired next = test.acquire("a:2", LEASE);
            test.release("a:2", next.token());
            test.claimsAreLongAgain();
        }),
        A_RENEWAL_OF_A_CLAIM(test -> {
            Reply.Acquired held = test.acquire("a:1", LEASE);
            test.acquire("b:1", LEASE);
            test.release("a:1", held.token());
            long token = test.granted().token();
            test.ask(
                    test.b,
                    new Command.Renew(List.of(new Command.Renew.Item(test.name, "b:1", token, LEASE, 0)), NEVER));
            test.release("b:1", token);
        }),
        A_FORCE_RELEASE(test -> {
            test.acquire("a:1", LEASE);
            test.acquire("b:1", LEASE);
            test.ask(test.a, new ForceRelease(test.name, 0));
            test.release("b:1", test.granted().token());
        }),
        A_KEEP_TIME(test -> {
            long token = test.acquire("a:1", LEASE).token();
            test.ask(test.a, new Command.Release(test.name, "a:1", token, token, 10, null));
            test.ends();
        }),
        A_CONDITION(test -> {
            long token = test.acquire("a:1", LEASE).token();
            Command.Acquire waits = new Command.Acquire(
                    test.name, "b:1", true, LEASE, 0, NEVER, Share.WHOLE, new ConditionWait("c", true));
            test.ask(test.b, new Command.Release(test.name, "a:1", token, token, 0, waits));
            token = test.acquire("a:2", LEASE).token();
            List<Signal> signals = List.of(new Signal("c", 1));
            test.ask(test.a, new Command.Release(test.name, "a:2", token, token, 0, null, HeldShare.WHOLE, signals));
            test.release("b:1", test.granted().token());
        }),
        A_RESTORE(test -> {
            long token = test.acquire("a:1", LEASE).token();
            test.site().deleteLock(test.name);
            test.ask(test.a, new Command.Restore(test.name, "a:1", token, LEASE, 0, NEVER));
            test.release("a:1", token);
        });

        private final Consumer<UsualStatementsTest> happens;

        Unusual(Consumer<UsualStatementsTest> happens) {
            this.happens = happens;
        }
    }

    abstract JdbcSite site();

    @BeforeEach
    void open() {
        counted = new CountedSource(site().source(), 3, true);
        a = JdbcBackend.on(counted.source(), JdbcSite.OPTIONS);
        b = site().newBackend();
        a.open("a", new Recorder());
        b.open("b", new Recorder());
    }

    @AfterEach
    void close() {
        a.close();
        b.close();
    }

    private final class Recorder implements BackendListener {
        @Override
        public void granted(Grant grant) {
            if (grant.request().startsWith("b")) {
                grants.add(grant);
            }
        }

        @Override
        public void connected(ServerTime server) {}

        @Override
        public void disconnected(Throwable cause) {}
    }

    private <R extends Reply.Answer> R ask(LockBackend through, Command<R> command) {
        CompletableFuture<Reply> answer = new CompletableFuture<>();
        through.send(command, answer::complete);
        @SuppressWarnings("unchecked")
        R reply = (R) answer.orTimeout(Slack.seconds(20).toMillis(), TimeUnit.MILLISECONDS)
                .join();
        return reply;
    }

    private Reply.Acquired acquire(String request, long lease) {
        return ask(request.startsWith("b") ? b : a, new Command.Acquire(name, request, true, lease, 0, NEVER));
    }

    private void release(String request, long token) {
        ask(request.startsWith("b") ? b : a, new Command.Release(name, request, token, token, 0, null));
    }

    private Grant granted() {
        try {
            Grant grant = grants.poll(Slack.seconds(20).toMillis(), TimeUnit.MILLISECONDS);
            assertThat(grant).isNotNull();
            return grant;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Waits for the end of a lease, a claim or a keep time. */
    private void ends() {
        Await.until("it has ended", () -> {
            QueryReply.Inspected lock = ask(a, new Query.Inspect(name));
            long now = lock.server().millis();
            return lock.keptUntilMillis() <= now
                    && lock.holders().stream().allMatch(holder -> holder.untilMillis() <= now);
        });
    }

    /** Lets the time pass in which claims are short. */
    private void claimsAreLongAgain() {
        site().execute("UPDATE boltwork_lock SET rest = REGEXP_REPLACE(rest, '^queue ([0-9]+) ([0-9]+) [0-9]+', 'queue "
                + group(1) + " " + group(2) + " 1') WHERE kind = 0 AND rest LIKE 'queue %'");
    }

    /** Returns how the replacement of a regular expression names a group. */
    abstract String group(int number);

    private int pair() {
        counted.takeLockStatements();
        release("a:9", acquire("a:9", LEASE).token());
        return counted.takeLockStatements().size();
    }

    @ParameterizedTest
    @EnumSource(Unusual.class)
    void aPairCostsAsBefore(Unusual unusual) {
        pair(); // makes the row, whose expiry need not be set again
        int usual = pair();
        assertThat(usual).isEqualTo(2);
        unusual.happens.accept(this);
        pair(); // may tidy up
        assertThat(pair()).isEqualTo(usual);
    }
}
