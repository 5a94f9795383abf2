// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.handmade;

import io.boltwork.Lease;
import io.boltwork.LeaseLostException;
import io.boltwork.LockClient;
import io.boltwork.LockOptions;
import io.boltwork.jdbc.JdbcBackend;
import io.boltwork.testkit.wait.Await;
import io.boltwork.zookeeper.ZooKeeperBackend;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Future;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.curator.test.TestingServer;
import org.apache.zookeeper.ZooKeeper;
import org.h2.jdbcx.JdbcDataSource;

/** The traps of a database and of ZooKeeper with Boltwork: the last part of stage 13. */
final class BoltworkStoresTraps {
    static final Trap DATABASE = new Trap(
            "boltwork-stopped-holder",
            "stage 11: a holder stops, with its lock in a database",
            "H2",
            BoltworkStoresTraps::stopped);
    static final Trap SESSION = new Trap(
            "boltwork-session-ends", "stage 12: the session ends", "ZooKeeper", BoltworkStoresTraps::sessionEnds);

    private static final String KEY = "lock";
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final int SESSION_MILLIS = 20_000;

    private BoltworkStoresTraps() {}

    private static void stopped(TrapServers servers, TrapLog log) throws InterruptedException {
        JdbcDataSource database = new JdbcDataSource();
        database.setURL("jdbc:h2:mem:boltwork-handmade");
        LockClient a = servers.closing(LockClient.create(JdbcBackend.on(database)));
        LockClient b = servers.closing(LockClient.create(JdbcBackend.on(database)));
        log.showing(() -> state(b));
        Lease first =
                a.lock(KEY, LockOptions.fixedLease(Duration.ofMillis(300))).acquire();
        log.a("acquire: a lease of 300 ms");
        try (Lease second = b.lock(KEY).tryAcquire(PATIENCE).orElseThrow()) {
            log.b("waits for the end of the lease; a larger token: " + (second.fencingToken() > first.fencingToken()));
            String told = "";
            try {
                first.release();
            } catch (LeaseLostException e) {
                told = "lost, " + e.loss().reason();
            }
            log.a("goes on; release: " + told);
            log.end(
                    !told.isEmpty() && second.isValid(),
                    TrapVerdict.TOLD,
                    "A lock is a row with a lease. It keeps no connection and no lock of the database.");
        }
    }

    private static void sessionEnds(TrapServers servers, TrapLog log) throws Exception {
        try (TestingServer server = new TestingServer();
                CuratorFramework connection = CuratorFrameworkFactory.newClient(
                        server.getConnectString(), SESSION_MILLIS, SESSION_MILLIS, new RetryOneTime(100))) {
            connection.start();
            LockClient a = servers.closing(LockClient.create(ZooKeeperBackend.on(connection)));
            LockClient b = servers.closing(LockClient.create(ZooKeeperBackend.connect(server.getConnectString())));
            log.showing(() -> state(b));
            Lease first = a.lock(KEY).acquire();
            log.a("acquire");
            Future<Optional<Lease>> waiting =
                    servers.inThread("client B", () -> b.lock(KEY).tryAcquire(PATIENCE));
            Await.until(
                    "B has queued", () -> b.inspector().describe(KEY).queue().size() == 1);
            log.b("tryAcquire(10 s) waits");
            ZooKeeper session = connection.getZookeeperClient().getZooKeeper();
            long ended = session.getSessionId();
            OtherStoreTraps.endSession(server, session);
            log.server("the session of A ends");
            Await.until(
                    "A has another session",
                    () -> a.health().connected()
                            && connection.getZookeeperClient().isConnected()
                            && session(connection) != ended);
            boolean kept = first.verify() && !waiting.isDone();
            log.a("is connected by another session; its lease is valid: " + kept);
            first.release();
            log.a("release");
            try (Lease second = waiting.get().orElseThrow()) {
                log.b("acquires: a larger token: " + (second.fencingToken() > first.fencingToken()));
            }
            log.end(kept, TrapVerdict.PASSED, "The lease decides, and not the session.");
            servers.reset();
        }
    }

    private static long session(CuratorFramework connection) {
        try {
            return connection.getZookeeperClient().getZooKeeper().getSessionId();
        } catch (Exception e) { // as declared
            throw new IllegalStateException(e);
        }
    }

    private static String state(LockClient looker) {
        return looker.lock(KEY).isLocked() ? KEY + ": held" : KEY + ": free";
    }
}
