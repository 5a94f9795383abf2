// SPDX-License-Identifier: Apache-2.0
package io.boltwork.testkit.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.testkit.LeavesNothingBehind;
import io.boltwork.testkit.fault.FaultyLink.Kind;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.server.RespConnection;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Slack;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class FaultyLinkTest {
    private static final Duration PATIENCE = Slack.seconds(5);

    private static RedisServer redis;

    @RegisterExtension
    final LeavesNothingBehind nothing = new LeavesNothingBehind(() -> redis);

    private FaultyLink link;

    @BeforeAll
    static void startServer() {
        redis = RedisServer.start();
    }

    @AfterAll
    static void stopServer() {
        redis.close();
    }

    @BeforeEach
    void startLink() {
        link = nothing.closing(FaultyLink.to(redis));
    }

    private RespConnection connect(Duration timeout) throws IOException {
        return nothing.closing(new RespConnection("127.0.0.1", link.port(), timeout));
    }

    private RespConnection subscribe() throws IOException {
        RespConnection resp = connect(PATIENCE);
        resp.call("SUBSCRIBE", "channel");
        return resp;
    }

    private static void isBroken(RespConnection resp) {
        assertThatThrownBy(() -> resp.call("PING")).isInstanceOfAny(SocketException.class, EOFException.class);
    }

    private static void works(RespConnection resp) throws IOException {
        assertThat(resp.call("ECHO", "x".repeat(100_000)).toString()).hasSize(100_000);
    }

    @Test
    void connectionsOfAKindAreCut() throws IOException {
        RespConnection commands = connect(PATIENCE);
        works(commands);
        RespConnection subscription = subscribe();
        assertThat(link.connections(Kind.SUBSCRIPTIONS)).isEqualTo(1);
        assertThat(link.connections(Kind.ALL)).isEqualTo(2);
        link.cut(Kind.SUBSCRIPTIONS).inject();
        isBroken(subscription);
        works(commands);
        RespConnection another = subscribe();
        link.cut(Kind.COMMANDS).inject();
        isBroken(commands);
        assertThat(redis.command("PUBLISH", "channel", "m")).isEqualTo(1L);
        assertThat(another.read()).isEqualTo(List.of("message", "channel", "m"));
        link.cut(Kind.ALL).inject();
        isBroken(another);
    }

    @Test
    void newConnectionsAreRefused() throws IOException {
        RespConnection old = connect(PATIENCE);
        works(old);
        try (Fault refused = link.refuse()) {
            refused.inject();
            works(old);
            assertThatThrownBy(() -> connect(PATIENCE).call("PING")).isInstanceOf(IOException.class);
        }
        works(connect(PATIENCE));
        try (Fault unreachable = link.unreachable()) {
            unreachable.inject();
            isBroken(old);
        }
        works(connect(PATIENCE));
    }

    @Test
    void everythingIsDelayed() throws IOException {
        RespConnection resp = connect(PATIENCE);
        works(resp);
        try (Fault delayed = link.delay(Duration.ofMillis(50), Duration.ofMillis(20))) {
            delayed.inject();
            long start = System.nanoTime();
            resp.call("PING");
            assertThat(System.nanoTime() - start).isGreaterThan(100_000_000);
        }
        works(resp);
    }

    @Test
    void repliesAreLostAndCommandsArrive() throws IOException {
        RespConnection resp = connect(Duration.ofMillis(200));
        resp.call("PING");
        Fault lossy = link.loseReplies(Kind.ALL);
        lossy.inject();
        assertThatThrownBy(() -> resp.call("SET", "k", "v")).isInstanceOf(SocketTimeoutException.class);
        assertThat(redis.command("GET", "k")).isEqualTo("v");
        works(connect(PATIENCE));
        lossy.heal();
        isBroken(resp);
    }

    @Test
    void dataOnAHalfOpenConnectionArrivesLate() throws IOException {
        RespConnection resp = connect(Duration.ofMillis(200));
        resp.call("PING");
        Fault halfOpen = link.halfOpen(Kind.ALL);
        halfOpen.inject();
        assertThatThrownBy(() -> resp.call("SET", "k", "v")).isInstanceOf(SocketTimeoutException.class);
        resp.close();
        assertThat(redis.command("GET", "k")).isNull();
        works(connect(PATIENCE));
        halfOpen.heal();
        Await.until("it arrives", () -> "v".equals(redis.command("GET", "k")));
    }

    @Test
    void dataOnAStrandedConnectionArrivesLate() throws IOException {
        RespConnection resp = connect(Duration.ofMillis(200));
        resp.call("PING");
        link.halfOpen(Kind.ALL).inject();
        assertThatThrownBy(() -> resp.call("SET", "k", "v")).isInstanceOf(SocketTimeoutException.class);
        Fault stranded = link.strand(Kind.ALL);
        stranded.inject();
        isBroken(resp);
        assertThat(redis.command("GET", "k")).isNull();
        stranded.heal();
        Await.until("it arrives", () -> "v".equals(redis.command("GET", "k")));
    }

    @Test
    void newConnectionsLeadElsewhere() throws IOException {
        try (RedisServer other = RedisServer.start()) {
            other.command("SET", "k", "other");
            RespConnection old = connect(PATIENCE);
            works(old);
            link.leadTo(other);
            assertThat(old.call("GET", "k")).isNull();
            assertThat(connect(PATIENCE).call("GET", "k")).isEqualTo("other");
        }
    }
}
