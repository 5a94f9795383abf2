// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.handmade;

import io.boltwork.testkit.wait.Await;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.apache.curator.test.TestingServer;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;

/** The traps of locks in a database and in ZooKeeper: stages 11 and 12. */
final class OtherStoreTraps {
    static final List<Trap> DATABASE = List.of(
            new Trap("version-column", "the loser has worked for nothing", "H2", OtherStoreTraps::version),
            new Trap("stalled-row-lock", "a holder that stops keeps the row", "H2", OtherStoreTraps::stalledRow),
            new Trap("ended-session", "the database ends the session of the holder", "H2", OtherStoreTraps::endedRow));
    static final List<Trap> ZOOKEEPER = List.of(
            new Trap("session-expires", "the session ends during the work", "ZooKeeper", OtherStoreTraps::session));

    private static final String URL = "jdbc:h2:mem:handmade;LOCK_TIMEOUT=10000";
    private static final String PARENT = "/lock";
    private static final int SESSION_MILLIS = 20_000;

    private OtherStoreTraps() {}

    // ---------------------------------------------------------------- stage 11

    private static Connection database(TrapServers servers) throws SQLException {
        return servers.closing(DriverManager.getConnection(URL));
    }

    /** Creates the table, which ends with its last connection, and shows the row. */
    private static void prepare(TrapServers servers, TrapLog log) throws SQLException {
        Connection look = database(servers);
        try (Statement statement = look.createStatement()) {
            statement.execute("CREATE TABLE stock (id INT PRIMARY KEY, items INT, version INT)");
            statement.execute("INSERT INTO stock VALUES (1001, 10, 1)");
        }
        log.showing(() -> {
            try {
                VersionedStock.StockRow row = new VersionedStock(look).read();
                return "items: " + row.items() + ", version: " + row.version();
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    private static void version(TrapServers servers, TrapLog log) throws SQLException {
        prepare(servers, log);
        VersionedStock a = new VersionedStock(database(servers));
        VersionedStock b = new VersionedStock(database(servers));
        int charged = 0;
        VersionedStock.StockRow readByA = a.read();
        log.a("reads " + readByA.items() + ", version " + readByA.version());
        VersionedStock.StockRow readByB = b.read();
        log.b("reads " + readByB.items() + ", version " + readByB.version());
        charged++;
        log.a("charges the card of its buyer");
        charged++;
        log.b("charges the card of its buyer");
        boolean first = a.write(readByA, readByA.items() - 1);
        log.a("UPDATE: " + (first ? "1 row" : "0 rows"));
        boolean second = b.write(readByB, readByB.items() - 1);
        log.b("UPDATE: " + (second ? "1 row" : "0 rows"));
        charged++;
        log.b("charges the card once more");
        log.end(first && !second && charged == 3, TrapVerdict.DONE_TWICE, "The row is right, but B repeats its work.");
    }

    private static void stalledRow(TrapServers servers, TrapLog log) throws SQLException {
        prepare(servers, log);
        RowLock a = new RowLock(database(servers));
        Connection impatient = database(servers);
        try (Statement setting = impatient.createStatement()) {
            setting.execute("SET LOCK_TIMEOUT 100");
        }
        RowLock b = new RowLock(impatient);
        a.lock();
        log.a("SELECT FOR UPDATE");
        log.a("is stopped, its connection stays open");
        String refused = "";
        try {
            b.lock();
        } catch (SQLException e) {
            refused = "SQL state " + e.getSQLState();
        }
        log.b("SELECT FOR UPDATE: lock timeout, " + refused);
        log.end(
                !refused.isEmpty(),
                TrapVerdict.HELD_TOO_LONG,
                "A row lock has no lease. It lasts as long as the connection, and costs one of the pool.");
        a.unlock();
    }

    private static void endedRow(TrapServers servers, TrapLog log) throws SQLException {
        prepare(servers, log);
        Connection connectionOfA = database(servers);
        RowLock a = new RowLock(connectionOfA);
        RowLock b = new RowLock(database(servers));
        a.lock();
        log.a("SELECT FOR UPDATE, works on another system");
        try (Statement kill = database(servers).createStatement()) {
            kill.execute("CALL ABORT_SESSION(" + session(connectionOfA) + ")");
        }
        log.server("an operator or a timeout ends the session of A");
        b.lock();
        log.b("SELECT FOR UPDATE: has the row");
        log.a("still works: nothing has told it");
        String late = "";
        try {
            a.unlock();
        } catch (SQLException e) {
            late = "SQL state " + e.getSQLState();
        }
        log.a("COMMIT: " + late);
        log.end(!late.isEmpty(), TrapVerdict.TWO_INSIDE, "The database refuses A, but the other system has had both.");
        b.unlock();
    }

    private static int session(Connection connection) throws SQLException {
        try (Statement select = connection.createStatement();
                ResultSet id = select.executeQuery("SELECT SESSION_ID()")) {
            id.next();
            return id.getInt(1);
        }
    }

    // ---------------------------------------------------------------- stage 12

    private static void session(TrapServers servers, TrapLog log) throws Exception {
        try (TestingServer server = new TestingServer();
                ZooKeeper look = connect(server, new AtomicBoolean())) {
            look.create(PARENT, new byte[0], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
            log.showing(() -> nodes(look));
            AtomicBoolean expiredAtA = new AtomicBoolean();
            ZooKeeper a = servers.closing(connect(server, expiredAtA));
            ZooKeeper ofB = servers.closing(connect(server, new AtomicBoolean()));
            String node = new EphemeralNodeLock(a, PARENT).lock("A");
            log.a("lock(): its node is the first");
            Future<String> waiting = servers.inThread("client B", () -> new EphemeralNodeLock(ofB, PARENT).lock("B"));
            Await.until("B has a node", () -> nodes(look).equals("nodes: A, B"));
            log.b("lock(): watches the node of A");
            endSession(server, a);
            log.server("the session of A ends");
            waiting.get();
            log.b("lock() returns: the node of A is gone");
            boolean gone = look.exists(node, false) == null;
            log.a("works on");
            Await.until("A is told", expiredAtA::get);
            log.a("is told: session expired");
            log.end(
                    gone,
                    TrapVerdict.TWO_INSIDE,
                    "The session is a lease, too. It ends at the server before A can know.");
            servers.reset();
        }
    }

    private static ZooKeeper connect(TestingServer server, AtomicBoolean expired) throws Exception {
        ZooKeeper client = new ZooKeeper(server.getConnectString(), SESSION_MILLIS, event -> {
            if (event.getState() == KeeperState.Expired) {
                expired.set(true);
            }
        });
        Await.until("the client is connected", () -> client.getState().isConnected());
        return client;
    }

    /** Ends a session at the server, as the server does when it has heard nothing of a client for too long. */
    static void endSession(TestingServer server, ZooKeeper client) throws Exception {
        ZooKeeper same = new ZooKeeper(
                server.getConnectString(),
                SESSION_MILLIS,
                event -> {},
                client.getSessionId(),
                client.getSessionPasswd());
        Await.until("the second connection is there", () -> same.getState().isConnected());
        same.close();
    }

    /** Describes the nodes, in order, by the names of their owners. */
    private static String nodes(ZooKeeper look) {
        try {
            return "nodes: "
                    + look.getChildren(PARENT, false).stream()
                            .sorted()
                            .map(name -> owner(look, name))
                            .collect(Collectors.joining(", "));
        } catch (KeeperException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String owner(ZooKeeper look, String name) {
        try {
            return new String(look.getData(PARENT + "/" + name, false, null), StandardCharsets.UTF_8);
        } catch (KeeperException | InterruptedException e) {
            return "gone";
        }
    }
}
