// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.look;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.testkit.server.EtcdCluster;
import io.boltwork.testkit.server.PostgresServer;
import io.boltwork.tools.ToolRun;
import io.boltwork.tools.connect.StoreOptions;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import picocli.CommandLine;

/** The commands on stores other than Redis. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class StoresTest {

    private static void showsALock(String uri) {
        StoreOptions store = CommandLine.populateCommand(new StoreOptions(), "--uri", uri);
        try (LockClient shop = store.connect("shop");
                Lease lease = shop.lock("stock:1").acquire()) {
            ToolRun list = ToolRun.of("ls", "--long", "--uri", uri);
            assertThat(list.err()).isEmpty();
            assertThat(list.lines()).hasSize(2);
            assertThat(list.lines().get(1)).matches("stock:1 +LOCK +HELD .* shop@.* +" + lease.fencingToken());
            assertThat(ToolRun.of("health", "--uri", uri).lines()).first().isEqualTo("connected");
            ToolRun release = ToolRun.of("release", "stock:1", "--force", "--yes", "--uri", uri);
            assertThat(release.exitCode()).isZero();
            assertThat(ToolRun.of("describe", "stock:1", "--uri", uri).out()).startsWith("stock:1: FREE");
        } catch (io.boltwork.LeaseLostException taken) {
            assertThat(taken).hasMessageContaining("stock:1");
        }
    }

    @Test
    void locksInH2AreShown() {
        showsALock("jdbc:h2:mem:tools;DB_CLOSE_DELAY=-1");
    }

    @Test
    void locksInPostgresAreShown() {
        assumeTrue(PostgresServer.isInstalled(), "no PostgreSQL on this machine");
        try (PostgresServer postgres = PostgresServer.start()) {
            showsALock(postgres.uri());
        }
    }

    @Test
    void locksInZooKeeperAreShown() throws Exception {
        try (TestingServer zooKeeper = new TestingServer()) {
            showsALock("zookeeper://" + zooKeeper.getConnectString());
        }
    }

    @Test
    void locksInEtcdAreShown() {
        assumeTrue(EtcdCluster.isInstalled(), "no etcd on this machine");
        try (EtcdCluster etcd = EtcdCluster.start(1)) {
            showsALock("etcd://127.0.0.1:" + etcd.port(0));
        }
    }
}
