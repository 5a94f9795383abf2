// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.boltwork.testkit.server.MariaDbServer;
import io.boltwork.testkit.wait.Await;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.mariadb.jdbc.MariaDbDataSource;

/** Failovers of MariaDB to a replica that follows its binary log. */
@EnabledIfSystemProperty(named = "boltwork.proof", matches = "true", disabledReason = "-Dboltwork.proof=true")
class MariaDbFailoverTest extends FailoverTest {

    @Override
    Pair start() {
        assumeTrue(MariaDbServer.isInstalled(), "MariaDB is not installed");
        return new MariaDbPair();
    }

    private static final class MariaDbPair implements Pair {
        private final MariaDbServer primary = server(1);
        private final MariaDbServer replica = server(2);
        private final MariaDbSite first = new MariaDbSite(primary);
        private final MariaDbSite second = new MariaDbSite(replica);

        MariaDbPair() {
            second.execute("SET GLOBAL read_only = ON");
            second.execute(
                    "CHANGE MASTER TO MASTER_HOST = '127.0.0.1', MASTER_USER = 'root', MASTER_USE_GTID = slave_pos,"
                            + " MASTER_CONNECT_RETRY = 1, MASTER_PORT = " + port(primary));
            second.execute("START SLAVE");
            // a user that may write to a read-only server, as root may, would not notice that it is read-only
            first.execute("CREATE USER application");
            first.execute("GRANT SELECT, INSERT, UPDATE, DELETE, CREATE ON boltwork.* TO application");
            Await.until(
                    "the replica follows",
                    () -> second.query("SELECT 1 FROM mysql.user WHERE user = 'application'", row -> row.getInt(1))
                            .equals(List.of(1)));
        }

        private static MariaDbServer server(int id) {
            return MariaDbServer.start("server-id=" + id, "log-bin=binlog", "binlog-format=ROW", "log-slave-updates");
        }

        @Override
        public Pair synchronous() {
            first.execute("SET GLOBAL rpl_semi_sync_master_timeout = 3600000");
            first.execute("SET GLOBAL rpl_semi_sync_master_wait_point = AFTER_SYNC");
            first.execute("SET GLOBAL rpl_semi_sync_master_enabled = ON");
            second.execute("STOP SLAVE");
            second.execute("SET GLOBAL rpl_semi_sync_slave_enabled = ON");
            second.execute("START SLAVE");
            Await.until(
                    "the replica is synchronous",
                    () -> first.query("SHOW STATUS LIKE 'Rpl_semi_sync_master_clients'", row -> row.getInt(2))
                            .equals(List.of(1)));
            return this;
        }

        @Override
        public DataSource source() {
            try {
                return new MariaDbDataSource("jdbc:mariadb:sequential://127.0.0.1:" + port(primary) + ",127.0.0.1:"
                        + port(replica) + "/boltwork?user=application&sslMode=disable");
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }

        private static String port(MariaDbServer server) {
            return server.uri().replaceFirst(".*:(\\d+)/.*", "$1");
        }

        @Override
        public boolean hasReplica(String lock) {
            return second.query(
                            "SELECT 1 FROM boltwork_lock WHERE kind = 0 AND name = '" + lock + "'",
                            row -> row.getInt(1))
                    .equals(List.of(1));
        }

        @Override
        public void killReplica() {
            replica.kill();
        }

        @Override
        public void restartReplica() {
            replica.restart();
            second.execute("SET GLOBAL read_only = ON");
        }

        @Override
        public void killPrimary() {
            primary.kill();
        }

        @Override
        public void promote() {
            second.execute("STOP SLAVE");
            second.execute("RESET SLAVE ALL");
            second.execute("SET GLOBAL read_only = OFF");
        }

        @Override
        public boolean isPromoted() {
            return second.query("SELECT @@read_only", row -> row.getInt(1)).equals(List.of(0));
        }

        @Override
        public void close() {
            primary.close();
            replica.close();
        }
    }
}
