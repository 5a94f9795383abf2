// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.boltwork.BackendException;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.LockKind;
import io.boltwork.spi.Announce;
import io.boltwork.spi.ClientRecord;
import io.boltwork.spi.Command;
import io.boltwork.spi.ForceRelease;
import io.boltwork.spi.Query;
import io.boltwork.spi.Reply.Failed;
import io.boltwork.spi.Share;
import io.boltwork.spi.VoteCommand;
import io.boltwork.spi.Witness;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.server.SentinelGroup;
import io.boltwork.testkit.wait.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests that the rights of docs/run/operations.md suffice, and that without any one of them an error names it. */
class RightsTest {
    static final List<String> LOCKING = List.of(
            "~boltwork:*",
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
            "+del",
            "+pexpire",
            "+publish",
            "+subscribe");
    private static final List<String> SHARING = List.of("+pubsub|numsub");
    private static final List<String> LOOKING = List.of("+hgetall", "+scan");
    private static final String REPLICATING = "+wait";

    /** The rights of docs/move/redisson.md, for locks whose names begin with {@code orders:}. */
    private static final List<String> BRIDGING = List.of(
            "~orders:*",
            "~redisson_lock_*",
            "&redisson_lock__channel:*",
            "&boltwork:bridge:*",
            "+hlen",
            "+hkeys",
            "+hexists",
            "+exists",
            "+get",
            "+set",
            "+pttl",
            "+unsubscribe");

    private static RedisServer redis;
    private static RedisServer old;

    @BeforeAll
    static void start() {
        redis = RedisServer.start();
        old = RedisServer.startEmbedded();
    }

    @AfterAll
    static void stop() {
        redis.close();
        old.close();
    }

    static Stream<String> rights() {
        return Stream.of(LOCKING, SHARING, LOOKING).flatMap(List::stream);
    }

    /** Creates a user with all rights that locks need, in the words of a configuration file. */
    static List<String> userWithRights(String name, String password) {
        List<String> words = new ArrayList<>(List.of("--user", name, "on", ">" + password, "resetchannels"));
        rights().forEach(words::add);
        words.add(REPLICATING);
        return words;
    }

    @ParameterizedTest
    @MethodSource("rights")
    void aMissingRightIsNamed(String right) {
        for (RedisServer server : List.of(redis, old)) {
            BackendException refused = refusedWithout(server, right);
            assertThat(refused).as(right + " on " + server).isNotNull();
            // a script's error names the command, not the subcommand
            String named =
                    right.startsWith("+") ? right.replaceFirst("\\|.*", "") : right.replace("boltwork", "<prefix>");
            assertThat(refused).hasMessageContaining("lacks a right: ").hasMessageContaining(named);
            if (right.startsWith("+")) { // for channels, Redis does not report which one
                assertThat(refused).hasMessageContaining("lacks a right: " + named);
            }
            assertThat(refused.isRetryable()).isFalse();
        }
    }

    @Test
    void theseRightsSuffice() {
        for (RedisServer server : List.of(redis, old)) {
            assertThat(refusedWithout(server, "")).isNull();
        }
    }

    /** A branch of a script that seldom runs may need a right of its own. */
    @Test
    void scriptsCallNoOtherCommands() throws IOException {
        Set<String> allowed = new TreeSet<>(Set.of("spublish")); // in a cluster
        rights().forEach(right -> allowed.add(right.replaceFirst("^\\+([^|]+).*", "$1")));
        Set<String> ofBridge = new TreeSet<>(allowed);
        BRIDGING.forEach(right -> ofBridge.add(right.replaceFirst("^\\+", "")));
        Pattern call = Pattern.compile("\\bp?call\\((?:[a-z ]*)'([A-Z]+)'(?: or '([A-Z]+)')?");
        try (Stream<Path> files = Files.walk(Path.of("src/main/resources"))) {
            for (Path file :
                    files.filter(each -> each.toString().endsWith(".lua")).toList()) {
                boolean isBridge = file.toString().matches(".*(bridge|mirror|unfair|yield|renew)\\.lua");
                Matcher calls = call.matcher(Files.readString(file));
                while (calls.find()) {
                    for (int i = 1; i <= calls.groupCount() && calls.group(i) != null; i++) {
                        assertThat(isBridge ? ofBridge : allowed)
                                .as("%s", file)
                                .contains(calls.group(i).toLowerCase(Locale.ROOT));
                    }
                }
            }
        }
    }

    @Test
    void theRightsOfTheBridgeSufficeForLocksThatAreSharedWithRedisson() throws Exception {
        for (RedisServer server : List.of(redis, old)) {
            List<String> words =
                    new ArrayList<>(List.of("ACL", "SETUSER", "bridge", "reset", "on", ">p", "resetchannels"));
            rights().forEach(words::add);
            words.addAll(BRIDGING);
            server.command(words.toArray(String[]::new));
            server.command("HSET", "orders:1", "8743c9c0-0795-4907-87fd-6c719a6b4586:7", "1");
            server.command("PEXPIRE", "orders:1", "30000");
            String uri = "redis://bridge:p@" + server.host() + ":" + server.port();
            RedisOptions options = RedisOptions.defaults().withBridge(Bridge.redisson());
            try (LockClient locks = LockClient.create(RedisBackend.connect(uri, options))) {
                CompletableFuture<Lease> wish =
                        locks.lock("orders:1").acquireAsync().toCompletableFuture();
                Await.until(
                        "it listens",
                        () -> List.of("redisson_lock__channel:{orders:1}", 1L)
                                .equals(server.command("PUBSUB", "NUMSUB", "redisson_lock__channel:{orders:1}")));
                assertThat(locks.inspector().describe("orders:1").holders()).hasSize(1);
                server.command("DEL", "orders:1");
                server.command("PUBLISH", "redisson_lock__channel:{orders:1}", "0");
                try (Lease lease = wish.get(10, TimeUnit.SECONDS)) {
                    assertThat(lease.verify()).isTrue();
                    assertThat(server.command("EXISTS", "orders:1")).isEqualTo(1L);
                }
                assertThat(server.command("EXISTS", "orders:1")).isEqualTo(0L);
            }
        }
    }

    /** Returns the error of a client that locks and inspects with all rights but one, or {@code null}. */
    private static @Nullable BackendException refusedWithout(RedisServer server, String right) {
        List<String> words = new ArrayList<>(List.of("ACL", "SETUSER", "locks", "reset", "on", ">p", "resetchannels"));
        rights().filter(each -> !each.equals(right)).forEach(words::add);
        server.command(words.toArray(String[]::new));
        server.command("FLUSHALL");
        server.command("SCRIPT", "FLUSH");
        String uri = "redis://locks:p@127.0.0.1:" + server.port();
        Client[] opened = new Client[1];
        BackendException refused =
                catchThrowableOfType(BackendException.class, () -> opened[0] = Client.open("a", uri));
        if (refused != null) {
            return refused;
        }
        try (Client client = opened[0]) {
            ClientRecord clientRecord = new ClientRecord("a", "shop", "host", 1, 1, 1);
            List<Command<?>> commands = new ArrayList<>(List.of(
                    new Announce(clientRecord, 60_000, "n"),
                    new Announce(clientRecord, 0, ""),
                    acquire(0),
                    acquire(1),
                    acquire(2),
                    new Command.Withdraw("l", "a:1", 0),
                    new Command.Release("l", "a:0", 1, 1, 0, null),
                    new ForceRelease("l", 0),
                    permit(0),
                    permit(1),
                    new VoteCommand.Vote("v", "a:1", 1, 0, Client.NEVER, true),
                    new VoteCommand.GiveBack("v", "a:1", 1, 1, 0, 0),
                    new Witness("", 0),
                    permit(2), // looks whether the client at the head listens
                    new Query.Inspect("l"),
                    new Query.Identify(List.of("a")),
                    new Query.ScanLocks("*", "", 10),
                    new Query.ScanClients("", 10)));
            for (int i = 3; i < 1_010; i++) { // a long queue is inspected
                commands.add(acquire(i));
            }
            return commands.stream() // one by one: in a group, Redis 7.0 does not report where a script failed
                    .map(client::send)
                    .map(Client::await)
                    .filter(Failed.class::isInstance)
                    .map(reply -> ((Failed) reply).cause())
                    .findFirst()
                    .orElse(null);
        }
    }

    private static Command<?> permit(int number) {
        Share one = new Share(LockKind.SEMAPHORE, 1, 1, 0);
        return new Command.Acquire("s", "a:" + number, true, Client.LEASE, 0, Client.NEVER, one);
    }

    private static Command<?> acquire(int number) {
        return new Command.Acquire("l", "a:" + number, true, Client.LEASE, 0, Client.NEVER);
    }

    @Test
    void sentinelsNeedTwoSubcommands() {
        String[] rights = {"+sentinel|get-master-addr-by-name", "+sentinel|master"};
        try (SentinelGroup group = SentinelGroup.start()) {
            RedisOptions options = RedisOptions.defaults().withSentinelCredentials("watch", "p");
            for (String missing : new String[] {"", rights[0], rights[1]}) {
                for (RedisServer sentinel : group.sentinels()) {
                    List<String> words = new ArrayList<>(List.of("ACL", "SETUSER", "watch", "reset", "on", ">p"));
                    Arrays.stream(rights)
                            .filter(right -> !right.equals(missing))
                            .forEach(words::add);
                    sentinel.command(words.toArray(String[]::new));
                }
                if (missing.isEmpty()) {
                    RedisBackend.connect(group.uri(), options).close();
                } else {
                    assertThat(WrongDeploymentTest.refused(() -> RedisBackend.connect(group.uri(), options)))
                            .hasMessageContaining("lacks a right: " + missing);
                }
            }
        }
    }
}
