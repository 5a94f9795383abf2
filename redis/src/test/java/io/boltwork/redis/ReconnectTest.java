// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.BackendException;
import io.boltwork.redis.wire.ServerInfo;
import io.boltwork.spi.Command;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Reply.Failed;
import io.boltwork.spi.Reply.Verdict;
import io.boltwork.spi.ServerTime;
import io.boltwork.testkit.fault.FaultyLink;
import io.boltwork.testkit.fault.FaultyLink.Kind;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Slack;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ReconnectTest {
    private static final Command.Acquire ACQUIRE = new Command.Acquire("l", "a:9", true, Client.LEASE, 0, Client.NEVER);

    private RedisServer redis;
    private Client a;

    @BeforeEach
    void start() {
        redis = RedisServer.start();
        a = Client.open("a", redis.uri() + "?timeout=1s");
    }

    @AfterEach
    void stop() {
        a.close();
        redis.close();
    }

    private String run() {
        return ServerInfo.field(String.valueOf(redis.command("INFO", "server")), "run_id");
    }

    private static void await(BooleanSupplier condition) {
        long end = System.nanoTime() + Slack.seconds(15).toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("the condition holds in time").isLessThan(end);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2));
        }
    }

    /** Passes a lock on again, which shows that both connections work. */
    private void checkBothConnections(Client client, String run) {
        Reply.Acquired granted = client.acquire("l", "a:1");
        assertThat(granted.verdict()).isEqualTo(Verdict.GRANTED);
        assertThat(granted.server().run()).isEqualTo(run);
        client.acquire("l", "a:2");
        client.release("l", "a:1", granted.token());
        assertThat(client.nextGrant().server().run()).isEqualTo(run);
    }

    @Test
    void aRestartedServerHasANewRunId() {
        String before = run();
        assertThat(a.acquire("m", "a:1").server().run()).isEqualTo(before);
        redis.restart();
        assertThat(a.nextEvent()).isInstanceOf(BackendException.class);
        ServerTime connected = (ServerTime) a.nextEvent();
        assertThat(connected.run()).isNotEqualTo(before).isEqualTo(run());
        checkBothConnections(a, run());
        assertThat(a.events).isEmpty();
    }

    @Test
    void aLostSubscriptionIsReplaced() {
        redis.command("CLIENT", "KILL", "TYPE", "pubsub");
        assertThat(a.nextEvent()).isInstanceOf(BackendException.class);
        assertThat(((ServerTime) a.nextEvent()).run()).isEqualTo(run());
        assertThat(redis.command("PUBSUB", "NUMSUB", "boltwork:grants:a")).isEqualTo(List.of("boltwork:grants:a", 1L));
        checkBothConnections(a, run());
        assertThat(a.events).isEmpty();
    }

    @Test
    void aLostCommandConnectionIsReplaced() {
        redis.command("CLIENT", "KILL", "TYPE", "normal");
        assertThat(a.nextEvent()).isInstanceOf(BackendException.class);
        assertThat(a.nextEvent()).isInstanceOf(ServerTime.class);
        checkBothConnections(a, run());
        assertThat(a.events).isEmpty();
    }

    @Test
    void losingBothConnectionsAtOnceIsReportedOnce() {
        redis.kill();
        assertThat(a.nextEvent()).isInstanceOf(BackendException.class);
        await(() -> Client.await(a.send(ACQUIRE)) instanceof Failed failed && !failed.executed());
        Failed failed = (Failed) Client.await(a.send(ACQUIRE));
        assertThat(failed.cause().isRetryable()).isTrue();
        assertThat(failed.cause()).hasMessageContaining("127.0.0.1:" + redis.port());
        redis.restart();
        assertThat(a.nextEvent()).isInstanceOf(ServerTime.class);
        checkBothConnections(a, run());
        assertThat(a.events).isEmpty();
    }

    @Test
    void aSilentSubscriptionIsReplaced() {
        redis.freeze();
        assertThat(a.nextEvent())
                .isInstanceOfSatisfying(
                        BackendException.class, e -> assertThat(e).hasMessageContaining("ping"));
        redis.thaw();
        assertThat(a.awaitConnected().run()).isEqualTo(run());
        checkBothConnections(a, run());
    }

    @Test
    void aCommandOnALostConnectionMayHaveBeenExecuted() {
        redis.freeze();
        CompletableFuture<Reply> reply = a.send(ACQUIRE);
        assertThat(reply).isNotDone();
        redis.kill();
        Failed failed = (Failed) Client.await(reply);
        assertThat(failed.executed()).isTrue();
        assertThat(failed.cause().isRetryable()).isTrue();
        assertThat(failed.cause()).hasMessageContaining("the lock 'l'");
    }

    @Test
    void commandsToASilentServerFailWithTheirConnection() {
        a.acquire("m", "a:1"); // the server has the script
        redis.freeze();
        CompletableFuture<Reply> reply = a.send(ACQUIRE);
        assertThat(((Failed) Client.await(reply)).executed()).isTrue();
        redis.thaw();
        a.awaitConnected();
        await(() -> a.inspect("l").owner() != null); // its bytes were executed late
    }

    @Test
    void aLateReplyArrives() {
        redis.freeze();
        CompletableFuture<Reply> reply = a.send(ACQUIRE);
        redis.thaw();
        assertThat(Client.await(reply)).isInstanceOf(Reply.Acquired.class);
    }

    @Test
    void commandsFailUntilThePasswordIsRightAgain() {
        redis.command("CONFIG", "SET", "requirepass", "new");
        redis.command("AUTH", "new");
        try (io.lettuce.core.RedisClient admin =
                io.lettuce.core.RedisClient.create("redis://:new@127.0.0.1:" + redis.port())) {
            io.lettuce.core.api.sync.RedisCommands<String, String> commands =
                    admin.connect().sync();
            long own = commands.clientId();
            commands.clientList()
                    .lines()
                    .map(line -> Long.parseLong(line.substring(3, line.indexOf(' '))))
                    .filter(id -> id != own)
                    .forEach(id -> commands.clientKill(io.lettuce.core.KillArgs.Builder.id(id)));
            assertThat(a.nextEvent()).isInstanceOf(BackendException.class);
            await(() -> Client.await(a.send(ACQUIRE)) instanceof Failed failed
                    && !failed.executed()
                    && !failed.cause().isRetryable());
            commands.configSet("requirepass", "");
        }
        a.awaitConnected();
        checkBothConnections(a, run());
    }

    @Test
    void aReconnectToAnotherServerReplacesBothConnections() {
        for (Kind kind : List.of(Kind.SUBSCRIPTIONS, Kind.COMMANDS)) {
            try (RedisServer other = RedisServer.start();
                    FaultyLink link = FaultyLink.to(redis);
                    Client client = Client.open("a", link.uri())) {
                link.leadTo(other);
                link.cut(kind).inject();
                assertThat(client.nextEvent()).isInstanceOf(BackendException.class);
                String run = ServerInfo.field(String.valueOf(other.command("INFO", "server")), "run_id");
                assertThat(((ServerTime) client.nextEvent()).run()).isEqualTo(run);
                checkBothConnections(client, run);
                assertThat(client.events).isEmpty();
            }
        }
    }

    @Test
    void repliesCarryTheRunIdOfTheirServer() {
        for (int i = 0; i < 3; i++) {
            String before = run();
            CompletableFuture<Reply> last = a.send(ACQUIRE);
            for (int k = 0; k < 200; k++) {
                last = a.send(ACQUIRE);
            }
            redis.restart();
            Reply reply = Client.await(last);
            if (reply instanceof Reply.Acquired acquired) {
                assertThat(acquired.server().run()).isEqualTo(before);
            }
            assertThat(a.awaitConnected().run()).isEqualTo(run());
            assertThat(a.acquire("l", "a:1").server().run()).isEqualTo(run());
        }
    }
}
