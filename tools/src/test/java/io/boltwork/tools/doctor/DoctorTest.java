// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.boltwork.testkit.fault.FaultyLink;
import io.boltwork.testkit.server.EtcdCluster;
import io.boltwork.testkit.server.PostgresServer;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.server.ReplicaGroup;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Slack;
import io.boltwork.testkit.wait.Task;
import io.boltwork.tools.ExitCode;
import io.boltwork.tools.ToolRun;
import io.boltwork.tools.connect.StoreOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The doctor names the fault of each real server, and finds nothing at a healthy one. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class DoctorTest {
    private static final String ON_DISK = "--appendonly";

    /** A message of a channel, as Redis sends it. */
    private static final Pattern MESSAGE =
            Pattern.compile("[*>]3\r\n\\$7\r\nmessage\r\n\\$\\d+\r\n[^\r]*\r\n\\$\\d+\r\n[^\r]*\r\n");

    /** Examines a store. The limit is large, so that a busy machine does not count as a slow network. */
    private static ToolRun doctor(String uri, String... more) {
        List<String> args = new ArrayList<>(List.of("doctor", "--uri", uri));
        if (!List.of(more).contains("--latency-limit")) {
            args.addAll(
                    List.of("--latency-limit", Slack.of(Duration.ofMillis(400)).toMillis() + "ms"));
        }
        args.addAll(List.of(more));
        ToolRun run = ToolRun.of(args.toArray(String[]::new));
        assertThat(run.err()).isEmpty();
        return run;
    }

    private static void finds(ToolRun run, String heading, String... parts) {
        assertThat(run.out()).containsPattern(heading).contains(parts);
        boolean severe = heading.startsWith("MUST");
        assertThat(run.exitCode()).isEqualTo(severe ? ExitCode.MISCONFIGURED : ExitCode.OK);
    }

    @Test
    void aHealthyServerHasNoFindings() {
        try (RedisServer redis = RedisServer.start(ON_DISK, "yes")) {
            ToolRun run = doctor(redis.uri());
            assertThat(run.out())
                    .endsWith("No changes needed." + System.lineSeparator())
                    .doesNotContain("CHANGED")
                    .containsPattern("PING +\\S+ +\\d+ +\\d+\\.\\d\\d ms +\\d+\\.\\d\\d ms")
                    .containsPattern("lock and unlock +\\S+ +\\d+ ");
            assertThat(run.exitCode()).isZero();
            ToolRun json = doctor(redis.uri(), "-o", "json");
            assertThat(json.out()).contains("\"severe\" : false", "\"findings\" : [ ]", "\"secondsAhead\" : ");
            assertThat(String.valueOf(redis.command("KEYS", "boltwork:doctor*")))
                    .isEqualTo("[]");
        }
    }

    @Test
    void evictionIsNamed() {
        try (RedisServer redis =
                RedisServer.start(ON_DISK, "yes", "--maxmemory", "100mb", "--maxmemory-policy", "allkeys-lru")) {
            ToolRun run = doctor(redis.uri());
            finds(
                    run,
                    "MUST BE CHANGED  eviction on " + redis.host() + ":" + redis.port(),
                    "Found      maxmemory-policy is allkeys-lru",
                    "the server may forget locks that are held",
                    "CONFIG SET maxmemory-policy noeviction, then CONFIG REWRITE",
                    "1 must be changed, 0 should be changed.");
            assertThat(doctor(redis.uri(), "-o", "json").out())
                    .contains("\"severe\" : true", "\"severity\" : \"SEVERE\"", "\"topic\" : \"eviction\"");
        }
    }

    @Test
    void missingPersistenceIsNamed() {
        try (RedisServer redis = RedisServer.start()) {
            finds(
                    doctor(redis.uri()),
                    "SHOULD BE CHANGED  persistence on ",
                    "appendonly is no",
                    "after a restart the server has forgotten",
                    "CONFIG SET appendonly yes");
        }
    }

    @Test
    void aShortTimeoutIsNamed() {
        try (RedisServer redis = RedisServer.start(ON_DISK, "yes")) {
            redis.command("CONFIG", "SET", "timeout", "14");
            finds(doctor(redis.uri()), "SHOULD BE CHANGED  connections on ", "timeout is 14", "CONFIG SET timeout 60");
            redis.command("CONFIG", "SET", "timeout", "15");
            assertThat(doctor(redis.uri()).out()).doesNotContain("timeout is");
        }
    }

    @Test
    void missingRightsAreNamed() {
        try (RedisServer redis = RedisServer.start(ON_DISK, "yes")) {
            List<String> rights = new ArrayList<>(RedisRight.ALWAYS.stream()
                    .map(RedisRight::right)
                    .filter(right -> !right.equals("+hdel"))
                    .toList());
            rights.add("+subscribe");
            rights.add("+acl|whoami");
            List<String> user = new ArrayList<>(List.of(
                    "ACL",
                    "SETUSER",
                    "locking",
                    "on",
                    ">right",
                    "resetchannels",
                    "~boltwork:*",
                    "&boltwork:grants:*",
                    "&boltwork:told:*"));
            user.addAll(rights);
            redis.command(user.toArray(String[]::new));
            String uri = "redis://locking:right@" + redis.host() + ":" + redis.port();
            finds(
                    doctor(uri),
                    "MUST BE CHANGED  rights on ",
                    "the user lacks +hdel",
                    "ACL SETUSER locking ~boltwork:* &boltwork:grants:* &boltwork:told:* +hdel",
                    "NOTE  rights",
                    "the user lacks +scan");
            redis.command("ACL", "SETUSER", "locking", "+hdel", "+@all");
            assertThat(doctor(uri).exitCode()).isZero();
        }
    }

    @Test
    void aServerThatRefusesLocksIsNamed() {
        try (RedisServer redis = RedisServer.start(ON_DISK, "yes")) {
            redis.command("CONFIG", "SET", "min-replicas-to-write", "1");
            finds(
                    doctor(redis.uri()),
                    "MUST BE CHANGED  server on ",
                    "it refuses to grant locks: it has too few replicas",
                    "start the replicas");
            redis.command("CONFIG", "SET", "min-replicas-to-write", "0", "maxmemory", "1");
            finds(doctor(redis.uri()), "MUST BE CHANGED  server on ", "its memory is full", "maxmemory to a larger");
        }
        // Redis 6.2 says so only when a lock is wanted
        try (RedisServer redis = RedisServer.startEmbedded(ON_DISK, "yes")) {
            redis.command("CONFIG", "SET", "maxmemory", "1");
            finds(doctor(redis.uri()), "MUST BE CHANGED  locks on ", "its memory is full", "maxmemory to a larger");
        }
    }

    @Test
    void rightsAreThoseOfTheManual() throws Exception {
        String manual = Files.readString(Path.of("..", "docs", "run", "operations.md"));
        String rights = manual.substring(manual.indexOf("## Rights"), manual.indexOf("## What is in Redis"));
        Matcher line = Pattern.compile("\n~boltwork:\\* .*\n").matcher(rights);
        assertThat(line.find()).isTrue();
        List<String> needed = Stream.of(line.group().strip().split(" "))
                .filter(word -> word.startsWith("+"))
                .toList();
        assertThat(Stream.concat(RedisRight.ALWAYS.stream().map(RedisRight::right), Stream.of("+subscribe")))
                .containsExactlyInAnyOrderElementsOf(needed);
        Stream.concat(RedisRight.SOMETIMES.stream(), RedisRight.IN_CLUSTERS.stream())
                .map(right -> right.right().replace("|", "\\|"))
                .forEach(right -> assertThat(rights).contains(right));
    }

    @Test
    void anOldServerIsNamed() throws Exception {
        try (RedisServer redis = RedisServer.start(ON_DISK, "yes");
                AlteringProxy old = new AlteringProxy(
                        text -> text.replaceAll("redis_version:\\d(\\.\\d+\\.\\d+)", "redis_version:5$1"),
                        redis.port())) {
            finds(doctor(old.uri()), "MUST BE CHANGED  connection", "its version is 5.", "upgrade the server");
        }
    }

    @Test
    void aReplicaIsNamed() {
        try (ReplicaGroup group = ReplicaGroup.start(1)) {
            finds(
                    doctor(group.servers().get(1).uri()),
                    "MUST BE CHANGED  connection",
                    "it is a replica of ",
                    "connect to the master");
        }
    }

    @Test
    void aWrongPasswordIsNamedAndNotPrinted() {
        try (RedisServer redis = RedisServer.start("--requirepass", "right")) {
            ToolRun run = doctor("redis://:s3cret@" + redis.host() + ":" + redis.port());
            finds(run, "MUST BE CHANGED  connection", "give the right user and password");
            assertThat(run.out()).doesNotContain("s3cret");
        }
    }

    /** Each of these takes seconds to notice, so they are noticed side by side. */
    @Test
    void faultsOfTheNetworkAreNamed() {
        List<Task<Object>> examined = List.of(
                Task.start("dropped messages", DoctorTest::aProxyThatDropsMessagesIsNamed),
                Task.start("several servers", DoctorTest::aProxyToSeveralServersIsNamed),
                Task.start("a slow network", DoctorTest::aSlowNetworkIsNamed));
        examined.forEach(task -> assertThat(task.get()).isEqualTo("named"));
    }

    private static Object aProxyThatDropsMessagesIsNamed() throws Exception {
        try (RedisServer redis = RedisServer.start(ON_DISK, "yes");
                AlteringProxy proxy =
                        new AlteringProxy(text -> MESSAGE.matcher(text).replaceAll(""), redis.port())) {
            finds(
                    doctor(proxy.uri()),
                    "MUST BE CHANGED  connection",
                    "does not deliver what scripts publish",
                    "connect past the proxy");
        }
        return "named";
    }

    private static Object aProxyToSeveralServersIsNamed() throws Exception {
        try (RedisServer one = RedisServer.start(ON_DISK, "yes");
                RedisServer another = RedisServer.start(ON_DISK, "yes");
                AlteringProxy proxy = new AlteringProxy(text -> text, one.port(), another.port())) {
            finds(
                    doctor(proxy.uri()),
                    "MUST BE CHANGED  proxy",
                    "connections to this address end at 2 different servers");
        }
        return "named";
    }

    @Test
    void clocksThatDifferAreNamed(@TempDir Path directory) throws Exception {
        try (RedisServer master = RedisServer.startEmbedded(ON_DISK, "yes");
                ShiftedReplica replica = new ShiftedReplica(master, 60, directory)) {
            finds(
                    doctor(master.uri()),
                    "MUST BE CHANGED  clock on 127.0.0.1:" + replica.port(),
                    "its clock is ",
                    "s ahead of the clock of " + master.host() + ":" + master.port(),
                    "let NTP slew the clocks");
        }
    }

    private static Object aSlowNetworkIsNamed() throws Exception {
        try (RedisServer redis = RedisServer.start(ON_DISK, "yes");
                FaultyLink link = FaultyLink.to(redis)) {
            link.delay(Duration.ofMillis(15), Duration.ZERO).inject();
            finds(
                    doctor(link.uri(), "--latency-limit", "20ms"),
                    "SHOULD BE CHANGED  latency",
                    "PING takes ",
                    "run the application near the server");
        }
        return "named";
    }

    @Test
    void anUnreachableServerIsNamed() {
        ToolRun run = doctor("redis://127.0.0.1:1");
        assertThat(run.out()).contains("MUST BE CHANGED  connection on 127.0.0.1:1", "refused");
        assertThat(run.exitCode()).isEqualTo(ExitCode.NO_SERVER);
    }

    @Test
    void databasesAreExamined() throws Exception {
        assumeTrue(PostgresServer.isInstalled(), "no PostgreSQL on this machine");
        try (PostgresServer postgres = PostgresServer.start("synchronous_commit=off")) {
            CommandLine.populateCommand(new StoreOptions(), "--uri", postgres.uri())
                    .connect("shop") // makes the tables
                    .close();
            int port = Integer.parseInt(postgres.uri().replaceAll(".*:(\\d+)/.*", "$1"));
            // as a pooler, which gives LISTEN to another connection
            try (AlteringProxy pooler = new AlteringProxy(text -> text.startsWith("A\0\0\0") ? "" : text, port)) {
                String uri = postgres.uri().replace(":" + port + "/", ":" + pooler.port() + "/");
                ToolRun run = doctor(uri);
                finds(
                        run,
                        "MUST BE CHANGED  persistence on ", // the test kit's server is faster without it
                        "fsync is off",
                        "SHOULD BE CHANGED  messages on ",
                        "notifications do not arrive",
                        "pool_mode",
                        "synchronous_commit is off",
                        "1 must be changed, 2 should be changed.");
            }
        }
    }

    @Test
    void aLoneZooKeeperIsNamed() throws Exception {
        try (TestingServer zooKeeper = new TestingServer()) {
            finds(
                    doctor("zookeeper://" + zooKeeper.getConnectString()),
                    "SHOULD BE CHANGED  quorum",
                    "the ensemble has one server",
                    "run three servers");
        }
    }

    private static String uri(EtcdCluster etcd) {
        return etcd.endpoints().replace("http://", "").replaceFirst("^", "etcd://");
    }

    @Test
    void aLoneEtcdIsNamedAndItsQuota() {
        assumeTrue(EtcdCluster.isInstalled(), "no etcd on this machine");
        try (EtcdCluster etcd = EtcdCluster.start(1, "--quota-backend-bytes", "16777216")) {
            CommandLine.populateCommand(new StoreOptions(), "--uri", uri(etcd))
                    .connect("shop") // makes the clock
                    .close();
            ToolRun run = doctor(uri(etcd));
            finds(run, "SHOULD BE CHANGED  quorum", "the cluster has one member", "run three members");
            assertThat(run.out())
                    .containsPattern("etcd 3\\.\\d")
                    .containsPattern("lock and unlock +\\S+ +\\d+ ")
                    .containsPattern("read +\\S+ +\\d+ ")
                    .doesNotContain("space");

            while (!etcd.post("/v3/maintenance/status", "{}").matches(".*\"dbSize\":\"1[45]\\d{6}\".*")) {
                assertThat(put(etcd)).contains("revision");
            }
            finds(doctor(uri(etcd)), "SHOULD BE CHANGED  space", " % of its quota of 16 MiB", "etcdctl defrag");
            Await.until("the quota is exceeded", () -> put(etcd).contains("space exceeded"));
            finds(
                    doctor(uri(etcd), "--connect-timeout", "1s"),
                    "MUST BE CHANGED  space",
                    "the alarm NOSPACE is raised",
                    "etcdctl alarm disarm");
        }
    }

    private static String put(EtcdCluster etcd) {
        return etcd.post("/v3/kv/put", "{\"key\":\"YQ==\",\"value\":\"" + "A".repeat(200_000) + "\"}");
    }

    @Test
    void missingMembersOfAnEtcdAreNamed() {
        assumeTrue(EtcdCluster.isInstalled(), "no etcd on this machine");
        try (EtcdCluster etcd = EtcdCluster.start(3)) {
            CommandLine.populateCommand(new StoreOptions(), "--uri", uri(etcd))
                    .connect("shop") // makes the clock
                    .close();
            assertThat(doctor(uri(etcd)).out()).contains("No changes needed.");
            etcd.kill(0);
            Await.until("a leader", () -> etcd.leader() > 0);
            finds(
                    doctor(uri(etcd)),
                    "SHOULD BE CHANGED  member on http://127.0.0.1:" + etcd.port(0),
                    "refused",
                    "0 must be changed, 1 should be changed.");
            etcd.kill(1);
            Await.until(
                    "the last member knows no leader",
                    () -> etcd.post("/v3/maintenance/status", "{}").contains("no leader"));
            finds(
                    doctor(uri(etcd), "--connect-timeout", "1s"),
                    "MUST BE CHANGED  leader on http://127.0.0.1:" + etcd.port(2),
                    "it knows no leader",
                    "start the members that are down");
        }
    }
}
