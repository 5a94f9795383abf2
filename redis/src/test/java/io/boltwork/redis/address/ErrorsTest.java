// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.address;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.BackendException;
import io.boltwork.redis.Client;
import io.boltwork.redis.connect.LettuceClient;
import io.boltwork.spi.Announce;
import io.boltwork.spi.ClientRecord;
import io.boltwork.spi.Command;
import io.boltwork.spi.ForceRelease;
import io.boltwork.spi.Query;
import io.boltwork.spi.Reply.Failed;
import io.boltwork.testkit.server.RedisServer;
import io.lettuce.core.RedisConnectionException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class ErrorsTest {
    private final Errors errors = new Errors("Redis at here:1", false);

    static Stream<Supplier<RedisServer>> servers() {
        return Stream.of(() -> RedisServer.startEmbedded(), () -> RedisServer.start());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "WRONGTYPE Operation against a key script: f00, on @user_script:5.    | false | false",
                "ERR Error running script (call to f_0f): @user_script:7: WRONGTYPE Op | false | false",
                "ERR Error running script (call to f_0f): @user_script: 7: -OOM command not allowed | false | true",
                "NOAUTH Authentication required.                                      | false | false",
                "NOPERM this user has no permissions to run 'evalsha'                 | false | false",
                "OOM command not allowed when used memory > 'maxmemory'.              | false | true",
                "READONLY You can't write against a read only replica.                | false | true",
                "LOADING Redis is loading the dataset in memory                       | false | true",
                "BUSY Redis is busy running a script.                                 | false | true",
                "MASTERDOWN Link with MASTER is down                                  | false | true",
                "CLUSTERDOWN The cluster is down                                      | false | true",
                "MOVED 866 127.0.0.1:7001                                             | false | false",
                "MISCONF Redis is configured to save RDB snapshots                    | false | true",
                "NOREPLICAS Not enough good replicas to write.                        | false | true",
                "ERR Error running script (call to f_0f): @user_script:7: user_script:7: attempt to call | true |"
                        + " false",
                "ERR Script attempted to access a non local key in a cluster node script: f00, on @user_script:5. |"
                        + " true | true",
                "ERR Error running script (call to f_0f): @user_script: 1: Script killed by user with SCRIPT KILL |"
                        + " true | true",
                "ERR upstream connect error or disconnect                             | true  | true",
                "ERR max number of clients reached                                    | true  | true",
                "ERR whatever                                                         | true  | true",
                "UNKNOWN whatever                                                     | true  | true",
                "upstream failure                                                     | true  | true",
                "ERR unknown command 'EVALSHA'                                        | true  | false",
                "ERR unknown subcommand 'x'                                           | true  | false",
                "ERR Unknown Redis command called from script script: f00             | true  | false",
                "ERR This Redis command is not allowed from script script: f00        | true  | false",
                "ERR wrong number of arguments for 'evalsha' command                  | true  | false",
                "ERR Wrong number of args calling Redis command from script           | true  | false",
                "ERR syntax error                                                     | true  | false",
                "ERR Protocol error: invalid bulk length                              | true  | false",
                "ERR Error compiling script (new function): user_script:1: '=' expected | true | false",
                "ERR EVAL is disabled here                                            | true  | false",
                "ERR command 'EVAL' is not supported by the proxy                     | true  | false",
                "ERR script tried accessing undeclared key                            | true  | false",
                "ERR user_script:9: attempt to compare nil with number script: f00, on @user_script:9. | true | false",
                "ERR user_script:9: bad argument #1 to 'unpack'                       | true  | false",
                "ERR hash value is not an integer                                     | true  | false",
                "ERR DB index is out of range                                         | true  | false",
                "ERR invalid expire time in 'pexpire' command                         | true  | false",
                "CROSSSLOT Keys in request don't hash to the same slot                | true  | false"
            })
    void anErrorTellsIfItWasExecutedAndIfWaitingHelps(String error, boolean executed, boolean retryable) {
        Failed failed = errors.refused(error.strip(), "the lock 'x'");
        assertThat(failed.executed()).isEqualTo(executed);
        assertThat(failed.cause().isRetryable()).isEqualTo(retryable);
        assertThat(failed.cause())
                .hasMessageContaining("Redis at here:1")
                .hasMessageContaining("the lock 'x'")
                .hasMessageContaining(error.strip());
    }

    @Test
    void aConnectionThatLettuceMissedIsRetried() {
        RedisConnectionException unseen = new RedisConnectionException(
                "Unable to connect", new IllegalStateException("RedisHandshakeHandler not registered"));
        AtomicInteger tried = new AtomicInteger();
        Supplier<CompletionStage<String>> thrice = () -> tried.incrementAndGet() < 3
                ? CompletableFuture.failedFuture(unseen)
                : CompletableFuture.completedFuture("connected");
        assertThat(LettuceClient.connected(thrice, 3)).isCompletedWithValue("connected");
        tried.set(0);
        assertThat(LettuceClient.connected(thrice, 2)).isCompletedExceptionally();
        assertThat(tried).as("the number of attempts is bounded").hasValue(2);
        tried.set(0);
        Supplier<CompletionStage<String>> refused = () -> {
            tried.incrementAndGet();
            return CompletableFuture.failedFuture(new RedisConnectionException("refused"));
        };
        assertThat(LettuceClient.connected(refused, 3)).isCompletedExceptionally();
        assertThat(tried).as("a known error is not retried").hasValue(1);
    }

    @Test
    void argumentsQuotedByTheServerAreLeftOut() {
        Failed failed = errors.refused("ERR unknown command `AUTH`, with args beginning with: `s3cr3t`,", "x");
        assertThat(failed.cause()).hasMessageNotContaining("s3cr3t").hasMessageContaining("unknown command");
    }

    @ParameterizedTest
    @MethodSource("servers")
    void aKeyOfAnotherTypeIsNamed(Supplier<RedisServer> server) {
        try (RedisServer redis = server.get();
                Client client = Client.open("a", redis.uri())) {
            redis.command("SET", "boltwork:{l}", "x");
            List<Command<?>> commands = List.of(
                    new Command.Acquire("l", "a:1", true, 1, 0, Client.NEVER),
                    new Command.Release("l", "a:1", 1, 1, 0, null),
                    new Command.Withdraw("l", "a:1", 1),
                    new Command.Restore("l", "a:1", 1, 1, 0, Client.NEVER),
                    new Query.Inspect("l"));
            for (Command<?> command : commands) {
                Failed failed = client.ask(command, Failed.class);
                assertThat(failed.executed()).isFalse();
                assertThat(failed.cause().isRetryable()).isFalse();
                assertThat(failed.cause())
                        .hasMessageContaining("'l'")
                        .hasMessageContaining("'boltwork:{l}'")
                        .hasMessageContaining("127.0.0.1:" + redis.port())
                        .hasMessageContaining("another key prefix");
            }
            assertThat(redis.command("GET", "boltwork:{l}")).isEqualTo("x");
        }
    }

    @Test
    void aReplicaThatRefusesWaitIsReportedAsAReplica() {
        String error = "ERR WAIT cannot be used with replica instances. Please also note that since Redis 4.0 …";
        BackendException refused = errors.refused(error, "x").cause();
        assertThat(refused).hasMessageContaining("it is a replica");
        assertThat(refused.isRetryable()).isTrue();
        assertThat(Errors.isAboutReplica(error)).isTrue();
    }

    @ParameterizedTest
    @MethodSource("servers")
    void aReplicaChangesNothing(Supplier<RedisServer> server) {
        try (RedisServer redis = server.get();
                Client client = Client.open("a", redis.uri())) {
            long token = client.acquire("held", "a:1").token();
            client.acquire("held", "a:2");
            List<Command<?>> commands = List.of(
                    new Command.Acquire("l", "a:1", true, 1, 0, Client.NEVER),
                    new Command.Release("held", "a:1", token, token, 0, null),
                    new Command.Withdraw("held", "a:1", token),
                    new Command.Renew(List.of(new Command.Renew.Item("held", "a:1", token, 90_000, 0)), Client.NEVER),
                    new Command.Restore("l", "a:1", token, 1, 0, Client.NEVER),
                    new ForceRelease("held", 0),
                    new Announce(new ClientRecord("a", "shop", "host", 1, 1, 1), 1_000, "n"));
            for (Command<?> command : commands) {
                redis.command("REPLICAOF", "127.0.0.1", "1");
                Failed failed = client.ask(command, Failed.class);
                assertThat(failed.executed()).isFalse();
                assertThat(failed.cause().isRetryable()).isTrue();
                assertThat(failed.cause()).hasMessageContaining("replica");
                redis.command("REPLICAOF", "NO", "ONE");
                client.awaitConnected(); // it has checked whether another server is the master
            }
            assertThat(client.inspect("held").owner()).isEqualTo("a:1");
            assertThat(client.waiting("held")).containsExactly("a:2");
            assertThat(client.grants).as("no message for a refused write").isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "ERR The user executing the script can't run this command or subcommand script: f00, on"
                        + " @user_script:15.",
                "ERR ACL failure in script: User u has no permissions to run the 'hset' command script: f00, on"
                        + " @user_script:15."
            })
    void aRightMissingInAScriptIsReportedForAllServerVersions(String error) {
        assertThat(errors.refused(error, "the lock 'x'").cause()).hasMessageContaining("the user lacks a right");
    }

    @ParameterizedTest
    @MethodSource("servers")
    void aMissingRightIsNamed(Supplier<RedisServer> server) {
        try (RedisServer redis = server.get();
                Client client = Client.open("a", redis.uri())) {
            redis.command("ACL", "SETUSER", "default", "-evalsha");
            Failed failed = client.ask(new Command.Withdraw("l", null, 0), Failed.class);
            assertThat(failed.executed()).isFalse();
            assertThat(failed.cause().isRetryable()).isFalse();
            assertThat(failed.cause()).hasMessageContaining("NOPERM");
            redis.command("ACL", "SETUSER", "default", "+evalsha", "-hmget");
            Failed inside = client.ask(new Command.Withdraw("l", null, 0), Failed.class);
            assertThat(inside.executed()).isTrue();
            assertThat(inside.cause().isRetryable()).isFalse();
            assertThat(inside.cause()).hasMessageContaining("lacks a right");
        }
    }
}
