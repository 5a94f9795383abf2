// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.look;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.testkit.server.EtcdCluster;
import io.boltwork.testkit.server.PostgresServer;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Await;
import io.boltwork.tools.ToolRun;
import io.boltwork.tools.connect.RedisAccess;
import io.boltwork.tools.connect.StoreOptions;
import io.boltwork.tools.connect.ZooKeeperAccess;
import io.lettuce.core.api.StatefulRedisConnection;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import picocli.CommandLine;

/** Commands that look at a store change nothing in it, whether Boltwork has used it before or not. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class LookingChangesNothingTest {
    private static final List<String> LOOKS = List.of(
            "ls",
            "ls --long",
            "ls unknown",
            "describe unknown",
            "describe held",
            "clients",
            "health",
            "top --frames 1",
            "doctor");

    private static final Pattern ETCD_KEY = Pattern.compile("\"key\":\"([^\"]+)\"");

    /** Lists what a store contains, without the lock that the doctor takes. */
    private interface Contents {
        Set<String> list() throws Exception;
    }

    private static ToolRun run(String command, String uri) {
        return ToolRun.of(Stream.concat(Arrays.stream(command.split(" ")), Stream.of("--uri", uri))
                .toArray(String[]::new));
    }

    private static StoreOptions store(String uri) {
        return CommandLine.populateCommand(new StoreOptions(), "--uri", uri);
    }

    private static void leavesAllAsItWas(String uri, Contents contents) throws Exception {
        Set<String> empty = contents.list();
        for (String look : LOOKS) {
            ToolRun run = run(look, uri);
            if (look.equals("doctor")) {
                assertThat(run.out()).as(look).contains("no store of Boltwork here");
            } else {
                assertThat(run.err()).as(look).contains("no store of Boltwork here", "prefix");
                assertThat(run.exitCode()).as(look).isEqualTo(77);
            }
            assertThat(contents.list()).as(look).isEqualTo(empty);
        }
        assertThat(run("release held --force --yes", uri).err()).contains("no store of Boltwork here");
        assertThat(contents.list()).isEqualTo(empty);
        changesNothingInAUsedStore(uri, contents);
    }

    private static void changesNothingInAUsedStore(String uri, Contents contents) throws Exception {
        try (LockClient shop = store(uri).connect("shop");
                Lease lease = shop.lock("held").acquire()) {
            Await.until(
                    "the client's own record", () -> !shop.inspector().clients().isEmpty());
            Set<String> before = contents.list();
            for (String look : LOOKS) {
                ToolRun run = run(look, uri);
                assertThat(run.err()).as(look).isEmpty();
                Set<String> after = contents.list();
                if (look.equals("doctor")) { // it takes a lock of its own, and ZooKeeper groups locks
                    after.removeIf(node -> node.matches("/boltwork/record/lock/..") && !before.contains(node));
                }
                assertThat(after).as(look).isEqualTo(before);
            }
            assertThat(lease.verify()).isTrue();
        }
    }

    private static Set<String> tables(String uri) throws Exception {
        Set<String> found = new TreeSet<>();
        try (Connection connection = store(uri).dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            try (ResultSet tables = connection.getMetaData().getTables(null, null, "%", new String[] {"TABLE"})) {
                while (tables.next()) {
                    found.add(tables.getString("TABLE_NAME"));
                }
            }
            for (String table : found.stream()
                    .filter(each -> each.toLowerCase(Locale.ROOT).startsWith("boltwork_"))
                    .filter(each -> !each.toLowerCase(Locale.ROOT).endsWith("_store"))
                    .toList()) {
                try (ResultSet row = statement.executeQuery("SELECT * FROM " + table)) {
                    while (row.next()) {
                        boolean isLocks = table.toLowerCase(Locale.ROOT).endsWith("_lock");
                        String name = new String(row.getBytes(isLocks ? 2 : 1), StandardCharsets.UTF_8);
                        if (!name.startsWith("boltwork-doctor:")) {
                            found.add(table + "/" + name);
                        }
                    }
                }
            }
        }
        return found;
    }

    @Test
    void tablesOfH2StayAsTheyWere() throws Exception {
        String uri = "jdbc:h2:mem:looking;DB_CLOSE_DELAY=-1";
        try (Connection created = DriverManager.getConnection(uri)) {
            assertThat(created.isValid(1)).isTrue();
            leavesAllAsItWas(uri, () -> tables(uri));
        }
    }

    @Test
    void lookingCreatesNoDatabase() {
        String uri = "jdbc:h2:mem:looking-at-none;DB_CLOSE_DELAY=-1";
        for (int i = 0; i < 2; i++) {
            ToolRun run = run("ls", uri);
            assertThat(run.exitCode()).isNotZero();
            assertThat(run.err()).contains("looking-at-none\" not found");
        }
    }

    @Test
    @EnabledIfSystemProperty(named = "boltwork.whole", matches = "true")
    void tablesOfPostgresStayAsTheyWere() throws Exception {
        assumeTrue(PostgresServer.isInstalled(), "no PostgreSQL on this machine");
        try (PostgresServer postgres = PostgresServer.start()) {
            leavesAllAsItWas(postgres.uri(), () -> tables(postgres.uri()));
        }
    }

    @Test
    @EnabledIfSystemProperty(named = "boltwork.whole", matches = "true")
    void nodesOfZooKeeperStayAsTheyWere() throws Exception {
        try (TestingServer server = new TestingServer()) {
            String uri = "zookeeper://" + server.getConnectString();
            try (CuratorFramework zooKeeper = ZooKeeperAccess.start(store(uri))) {
                leavesAllAsItWas(uri, () -> {
                    Set<String> found = new TreeSet<>();
                    collect(zooKeeper, "/", found);
                    return found;
                });
            }
        }
    }

    @Test
    void keysOfEtcdStayAsTheyWere() throws Exception {
        assumeTrue(EtcdCluster.isInstalled(), "no etcd on this machine");
        try (EtcdCluster etcd = EtcdCluster.start(1)) {
            leavesAllAsItWas("etcd://127.0.0.1:" + etcd.port(0), () -> {
                Set<String> found = new TreeSet<>();
                Matcher key = ETCD_KEY.matcher(
                        etcd.post("/v3/kv/range", "{\"key\":\"AA==\",\"range_end\":\"AA==\",\"keys_only\":true}"));
                while (key.find()) {
                    found.add(new String(Base64.getDecoder().decode(key.group(1)), StandardCharsets.UTF_8));
                }
                found.removeIf(each -> each.contains("boltwork-doctor"));
                return found;
            });
        }
    }

    private static void collect(CuratorFramework zooKeeper, String path, Set<String> found) throws Exception {
        for (String child : zooKeeper.getChildren().forPath(path)) {
            String node = (path.equals("/") ? "" : path) + "/" + child;
            if (!child.startsWith("boltwork-doctor")) {
                found.add(node);
                collect(zooKeeper, node, found);
            }
        }
    }

    @Test
    void keysOfRedisStayAsTheyWere() throws Exception {
        try (RedisServer redis = RedisServer.start();
                RedisAccess access = RedisAccess.of(store(redis.uri()));
                StatefulRedisConnection<String, String> connection =
                        access.connect(redis.host() + ":" + redis.port())) {
            Contents keys = () -> {
                Set<String> found = new TreeSet<>(connection.sync().keys("*"));
                found.removeIf(key -> key.contains("boltwork-doctor"));
                return found;
            };
            for (String look : LOOKS) {
                run(look, redis.uri());
                assertThat(keys.list()).as(look).isEmpty();
            }
            changesNothingInAUsedStore(redis.uri(), keys);
        }
    }
}
