// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.boltwork.BackendException;
import io.boltwork.spi.ClientRecord;
import io.boltwork.spi.Command;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.Query;
import io.boltwork.spi.Reply.Failed;
import io.boltwork.spi.Reply.Verdict;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Slack;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ConnectTest {
    private static final String SECRET = "s3cr3t-p4ss";
    private static final RedisOptions WITHIN_A_SECOND =
            RedisOptions.defaults().withConnectTimeout(Duration.ofSeconds(1));

    private static BackendException refused(String uri) {
        return refused(uri, RedisOptions.defaults());
    }

    private static BackendException refused(String uri, RedisOptions options) {
        BackendException[] caught = new BackendException[1];
        assertThatExceptionOfType(BackendException.class)
                .isThrownBy(() -> RedisBackend.connect(uri, options).close())
                .satisfies(e -> caught[0] = e);
        StringWriter trace = new StringWriter();
        caught[0].printStackTrace(new PrintWriter(trace));
        assertThat(trace.toString()).doesNotContain(SECRET);
        return caught[0];
    }

    @Test
    void aConnectedBackendNamesItsServer() {
        try (RedisServer redis = RedisServer.start();
                LockBackend backend = RedisBackend.connect(redis.uri() + "/3?timeout=700ms")) {
            assertThat(backend).hasToString(redis.uri() + "/3");
            assertThat(backend.commandTimeout()).isEqualTo(Duration.ofMillis(700));
            Client client = Client.open("a", backend);
            client.acquire("l", "a:1");
            assertThat(String.valueOf(redis.command("INFO", "keyspace"))).contains("db3:keys=1");
        }
    }

    @Test
    void thereIsNoServer() {
        RedisServer redis = RedisServer.start();
        redis.close();
        BackendException refused = refused(redis.uri());
        assertThat(refused.isRetryable()).isTrue();
        assertThat(refused).hasMessageContaining("127.0.0.1:" + redis.port()).hasMessageContaining("refused");
    }

    @Test
    void thereIsNoSuchHost() {
        BackendException refused = refused("redis://:" + SECRET + "@no-such-host.invalid:6379");
        assertThat(refused.isRetryable()).isTrue();
        assertThat(refused)
                .hasMessageContaining("no-such-host.invalid:6379: the name is unknown on this machine")
                .hasMessageNotContaining(SECRET);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "redis-sentinel://no-such-a.invalid:1,no-such-b.invalid:1#m",
                "redis-replicated://no-such-a.invalid:1,no-such-b.invalid:1",
                "redis-cluster://no-such-a.invalid:1,no-such-b.invalid:1"
            })
    void thereAreNoSuchHosts(String uri) {
        assertThat(refused(uri))
                .hasMessageContaining("no-such-a.invalid:1: the name is unknown on this machine")
                .hasMessageContaining("no-such-b.invalid:1: the name is unknown on this machine");
    }

    @Test
    void connectingToASilentServerTimesOut() {
        try (RedisServer redis = RedisServer.start()) {
            redis.freeze();
            long begin = System.nanoTime();
            BackendException refused = refused(redis.uri(), WITHIN_A_SECOND);
            assertThat(refused.isRetryable()).isTrue();
            assertThat(refused).hasMessageContaining("127.0.0.1:" + redis.port() + ": no answer within 1250 ms");
            assertThat(Duration.ofNanos(System.nanoTime() - begin)).isBetween(Duration.ofSeconds(1), Slack.seconds(4));
            redis.thaw();
        }
    }

    @Test
    void thePasswordIsWrong() {
        try (RedisServer redis = RedisServer.start("--requirepass", "right")) {
            String host = "127.0.0.1:" + redis.port();
            for (String user : new String[] {"", "someone"}) {
                BackendException refused = refused("redis://" + user + ":" + SECRET + "@" + host);
                assertThat(refused.isRetryable()).isFalse();
                assertThat(refused).hasMessageContaining(host).hasMessageContaining("user or password");
            }
            BackendException missing = refused("redis://" + host);
            assertThat(missing.isRetryable()).isFalse();
            assertThat(missing).hasMessageContaining("user or password");
        }
    }

    @Test
    void thePasswordIsRight() {
        try (RedisServer redis = RedisServer.start("--requirepass", SECRET);
                LockBackend backend = RedisBackend.connect("redis://:" + SECRET + "@127.0.0.1:" + redis.port())) {
            assertThat(backend).hasToString(redis.uri() + "/0");
        }
    }

    @Test
    void aUserWithTheLeastRightsMayLock() {
        try (RedisServer redis = RedisServer.start()) {
            redis.command(
                    "ACL",
                    "SETUSER",
                    "locks",
                    "on",
                    ">p@ss:w/rd",
                    "~boltwork:*",
                    "resetchannels",
                    "&boltwork:grants:*",
                    "&boltwork:told:*",
                    "+ping",
                    "+info",
                    "+time",
                    "+eval",
                    "+evalsha",
                    "+hmget",
                    "+hset",
                    "+hget",
                    "+hdel",
                    "+hlen",
                    "+del",
                    "+pexpire",
                    "+publish",
                    "+subscribe");
            String uri = "redis://locks:p%40ss%3Aw%2Frd@127.0.0.1:" + redis.port();
            try (Client client = Client.open("a", uri)) {
                assertThat(client.backend).hasToString("redis://locks@127.0.0.1:" + redis.port() + "/0");
                long token = client.acquire("l", "a:1").token();
                assertThat(client.acquire("l", "a:2").verdict()).isEqualTo(Verdict.QUEUED);
                client.renew("l", "a:1", token, 90_000);
                client.restore("l", "a:3", token);
                client.release("l", "a:1", token);
                assertThat(client.nextGrant().request()).isEqualTo("a:2");
                assertThat(client.withdraw("l", "a:2", 0).known()).isTrue();
                ClientRecord clientRecord = new ClientRecord("a", "shop", "host", 1, 1, 1);
                client.announce(clientRecord, 60_000);
                client.announce(clientRecord, 0);
                assertThat(client.force("l", 0).released()).isFalse();
                for (Command<?> look : List.of(
                        new Query.Inspect("l"),
                        new Query.Identify(List.of("a")),
                        new Query.ScanLocks("*", "", 10),
                        new Query.ScanClients("", 10))) {
                    Failed failed = client.ask(look, Failed.class);
                    assertThat(failed.cause().isRetryable()).isFalse();
                    assertThat(failed.cause()).hasMessageContaining("NOPERM");
                }

                redis.command("ACL", "SETUSER", "locks", "+hgetall", "+scan");
                client.acquire("l", "a:3");
                client.announce(clientRecord, 60_000);
                assertThat(client.inspect("l").owner()).isEqualTo("a:3");
                assertThat(client.scanLocks("*", 10)).hasSize(1);
                assertThat(client.scanClients(10)).containsExactly(clientRecord);
                assertThat(client.identify("a")).containsExactly(clientRecord);
            }
        }
    }

    @Test
    void aUserWithoutAccessToTheChannelCannotOpenAClient() {
        try (RedisServer redis = RedisServer.start()) {
            redis.command("ACL", "SETUSER", "locks", "on", ">" + SECRET, "~*", "+@all", "resetchannels");
            String uri = "redis://locks:" + SECRET + "@127.0.0.1:" + redis.port();
            try (LockBackend backend = RedisBackend.connect(uri)) {
                for (int i = 0; i < 2; i++) { // can be tried again
                    assertThatExceptionOfType(BackendException.class)
                            .isThrownBy(() -> Client.open("a", backend))
                            .withMessageContaining("NOPERM")
                            .satisfies(e -> assertThat(e.isRetryable()).isFalse());
                }
                redis.command("ACL", "SETUSER", "locks", "allchannels");
                Client.open("a", backend);
            }
        }
    }

    @Test
    void thereIsNoSuchDatabase() {
        try (RedisServer redis = RedisServer.start()) {
            BackendException refused = refused(redis.uri() + "/999");
            assertThat(refused.isRetryable()).isFalse();
            assertThat(refused).hasMessageContaining("DB index");
        }
    }

    @Test
    void theServerIsFull() {
        try (RedisServer redis = RedisServer.start("--maxclients", "2")) {
            try (Client client = Client.open("a", redis.uri())) {
                BackendException refused = refused(redis.uri());
                assertThat(refused.isRetryable()).isTrue();
                assertThat(refused).hasMessageContaining("max number of clients");
                assertThat(client.acquire("l", "a:1").verdict()).isEqualTo(Verdict.GRANTED);
            }
        }
    }

    @Test
    void theServerDoesNotSpeakTls() {
        try (RedisServer redis = RedisServer.start()) {
            BackendException refused = refused("rediss://127.0.0.1:" + redis.port(), WITHIN_A_SECOND);
            assertThat(refused).hasMessageContaining("127.0.0.1:" + redis.port());
        }
    }

    @Test
    void theServerIsTooOld() throws IOException {
        String[] infos = {"redis_version:5.0.7\r\nrun_id:abc\r\n", "redis_version:6.0.16\r\nrun_id:abc\r\n", "x:y\r\n"};
        for (String info : infos) {
            try (ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
                Thread server = new Thread(() -> actAsServer(listener, info));
                server.setDaemon(true);
                server.start();
                BackendException refused = refused("redis://:" + SECRET + "@127.0.0.1:" + listener.getLocalPort());
                assertThat(refused.isRetryable()).isFalse();
                assertThat(refused)
                        .hasMessageContaining("127.0.0.1:" + listener.getLocalPort())
                        .hasMessageContaining("6.2");
                if (info.startsWith("redis_version:")) {
                    assertThat(refused).hasMessageContaining(info.substring(14, info.indexOf('\r')));
                }
            }
        }
    }

    /** An old server, which does not know HELLO and quotes unknown commands in its errors. */
    private static void actAsServer(ServerSocket listener, String info) {
        try (Socket socket = listener.accept()) {
            InputStream in = socket.getInputStream();
            byte[] buffer = new byte[8_192];
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                String said = new String(buffer, 0, n, StandardCharsets.UTF_8);
                String reply;
                if (said.contains("HELLO")) {
                    reply = "-ERR unknown command `HELLO`, with args beginning with: `3`, `AUTH`, `" + SECRET + "`\r\n";
                } else if (said.contains("\r\nINFO\r\n")) {
                    reply = "$" + info.length() + "\r\n" + info + "\r\n";
                } else {
                    reply = "+OK\r\n".repeat(said.split("\\*\\d+\r\n").length - 1);
                }
                socket.getOutputStream().write(reply.getBytes(StandardCharsets.UTF_8));
            }
        } catch (IOException e) {
            // the client or the test has closed the connection
        }
    }

    @Test
    void aBackendBelongsToOneClient() {
        try (RedisServer redis = RedisServer.start();
                LockBackend backend = RedisBackend.connect(redis.uri())) {
            assertThatIllegalArgumentException().isThrownBy(() -> Client.open("a b", backend));
            assertThatIllegalArgumentException().isThrownBy(() -> Client.open("", backend));
            Client.open("a", backend);
            assertThatIllegalStateException().isThrownBy(() -> Client.open("a", backend));
            backend.close();
            assertThatIllegalStateException().isThrownBy(() -> Client.open("a", backend));
        }
    }
}
