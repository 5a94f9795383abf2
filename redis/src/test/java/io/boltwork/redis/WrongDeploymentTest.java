// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.boltwork.BackendException;
import io.boltwork.spi.LockBackend;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.server.ReplicaGroup;
import io.boltwork.testkit.server.SentinelGroup;
import io.boltwork.testkit.wait.Slack;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Tests wrong configurations: each is reported clearly, in time, without any password. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class WrongDeploymentTest {
    private static final String SECRET = "s3cr3t-p4ss";
    private static final String WATCH = "s3nt1n3l-p4ss";

    /**
     * The limit in the documentation of {@link RedisBackend} and a moment: 10 s to connect, 2 s for the threads to end,
     * and more, because other tests run at the same time.
     */
    private static final Duration LIMIT = Duration.ofSeconds(15);

    private static SentinelGroup sentinels;
    private static RedisServer master;
    private static RedisServer replica;

    /** Different passwords for the servers and for the sentinels. */
    @BeforeAll
    static void start() {
        ReplicaGroup data = ReplicaGroup.start(1, "--requirepass", SECRET, "--masterauth", SECRET);
        sentinels = SentinelGroup.watching(
                data,
                List.of(
                        "requirepass " + WATCH,
                        "sentinel sentinel-pass " + WATCH,
                        "sentinel auth-pass mymaster " + SECRET));
        master = data.servers().get(0);
        replica = data.servers().get(1);
        RedisBackend.connect(uri(SECRET), watching(WATCH)).close(); // the first connection of a JVM takes longer
    }

    @AfterAll
    static void stop() {
        sentinels.close();
    }

    static BackendException refused(Supplier<? extends LockBackend> connecting) {
        long start = System.nanoTime();
        BackendException refused = catchThrowableOfType(
                BackendException.class, () -> connecting.get().close());
        assertThat(refused).isNotNull();
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Slack.of(LIMIT));
        StringWriter trace = new StringWriter();
        refused.printStackTrace(new PrintWriter(trace));
        assertThat(trace.toString()).doesNotContain(SECRET).doesNotContain(WATCH);
        System.out.println(refused.getMessage());
        return refused;
    }

    private static String of(RedisServer server) {
        return "redis://:" + SECRET + "@" + server.host() + ":" + server.port();
    }

    private static String uri(String password) {
        return sentinels.uri().replace("://", "://:" + password + "@");
    }

    private static RedisOptions watching(String password) {
        return RedisOptions.defaults().withSentinelCredentials(null, password);
    }

    @Test
    void bothPasswordsAreRight() {
        try (LockBackend backend = RedisBackend.connect(uri(SECRET), watching(WATCH));
                Client client = Client.open("a", backend)) {
            assertThat(backend).hasToString(sentinels.uri());
            client.acquire("l", "a:1");
            assertThat(master.command("EXISTS", "boltwork:{l}")).isEqualTo(1L);
        }
    }

    @Test
    void aReplicaAlone() {
        BackendException refused = refused(() -> RedisBackend.connect(of(replica)));
        assertThat(refused)
                .hasMessageContaining("replica of 127.0.0.1:" + master.port())
                .hasMessageContaining("connectReplicated");
    }

    @Test
    void aReplicaAloneLeadsToItsMasterIfFollowingIsAllowed() {
        try (RedisBackend backend = RedisBackend.connectReplicated(List.of(of(replica)));
                Client client = Client.open("a", backend)) {
            client.acquire("m", "a:1");
            assertThat(master.command("EXISTS", "boltwork:{m}")).isEqualTo(1L);
        }
    }

    @Test
    void onlyReplicasAnswer() {
        try (RedisServer lonely = RedisServer.start("--replicaof", "127.0.0.1 1")) {
            BackendException refused = refused(() -> RedisBackend.connectReplicated(List.of(lonely.uri())));
            assertThat(refused).hasMessageContaining("only replicas answered");
            assertThat(refused.isRetryable()).isTrue();
        }
    }

    @Test
    void twoUnrelatedMasters() {
        try (RedisServer one = RedisServer.start();
                RedisServer other = RedisServer.start()) {
            assertThat(refused(() -> RedisBackend.connectReplicated(List.of(one.uri(), other.uri()))))
                    .hasMessageContaining("call themselves masters");
        }
    }

    @Test
    void noServerAnswers() {
        BackendException refused =
                refused(() -> RedisBackend.connect("redis-sentinel://127.0.0.1:1,127.0.0.1:2/0#mymaster"));
        assertThat(refused).hasMessageContaining("no sentinel answered").hasMessageContaining("127.0.0.1:2");
        assertThat(refused.isRetryable()).isTrue();
        assertThat(refused(() -> RedisBackend.connectReplicated(List.of("redis://127.0.0.1:1", "redis://127.0.0.1:2"))))
                .hasMessageContaining("no server answered");
    }

    @Test
    void aNameThatTheSentinelsDoNotKnow() {
        BackendException refused =
                refused(() -> RedisBackend.connect(uri(SECRET).replace("#mymaster", "#another"), watching(WATCH)));
        assertThat(refused).hasMessageContaining("no master with the name 'another'");
        assertThat(refused.isRetryable()).isFalse();
    }

    @Test
    void aWrongPasswordForTheServers() {
        BackendException refused = refused(() -> RedisBackend.connect(uri(SECRET + "x"), watching(WATCH)));
        assertThat(refused)
                .hasMessageContaining("127.0.0.1:" + master.port())
                .hasMessageContaining("refused the user or password of the URI");
        assertThat(refused.isRetryable()).isFalse();
        assertThat(refused(() -> RedisBackend.connectReplicated(List.of(
                        of(master).replace(SECRET, SECRET + "x"), of(replica).replace(SECRET, SECRET + "x")))))
                .hasMessageContaining("refused");
    }

    @Test
    void aWrongPasswordForTheSentinels() {
        for (RedisOptions options : List.of(watching(WATCH + "x"), RedisOptions.defaults())) {
            BackendException refused = refused(() -> RedisBackend.connect(uri(SECRET), options));
            assertThat(refused)
                    .hasMessageContaining("sentinel at 127.0.0.1:"
                            + sentinels.sentinels().get(0).port())
                    .hasMessageContaining("refused the user or password of RedisOptions.withSentinelCredentials");
            assertThat(refused.isRetryable()).isFalse();
        }
    }

    @Test
    void aServerInsteadOfASentinel() {
        try (RedisServer server = RedisServer.start()) {
            BackendException refused = refused(
                    () -> RedisBackend.connect(server.uri().replace("redis:", "redis-sentinel:") + "#mymaster"));
            assertThat(refused).hasMessageContaining("it is not a sentinel");
            assertThat(refused.isRetryable()).isFalse();
        }
    }

    /** A real server whose answer to INFO names Garnet. */
    @Test
    void garnetIsRefused() {
        try (RedisServer server = RedisServer.start();
                RespProxy proxy = new RespProxy(server)) {
            proxy.change(value -> value.text().contains("redis_version:")
                    ? value.with(value.text().replace("redis_version:", "garnet_version:1.0.48\r\nredis_version:"))
                    : value);
            BackendException refused = refused(() -> RedisBackend.connect(proxy.uri()));
            assertThat(refused)
                    .hasMessageContaining("it is Garnet 1.0.48, which may run other commands while a script runs");
            assertThat(refused.isRetryable()).isFalse();
        }
    }

    @Test
    void aSentinelInsteadOfAServer() {
        BackendException refused = refused(
                () -> RedisBackend.connect(sentinels.sentinels().get(0).uri().replace("://", "://:" + WATCH + "@")));
        assertThat(refused).hasMessageContaining("it is a sentinel");
        assertThat(refused.isRetryable()).isFalse();
    }
}
