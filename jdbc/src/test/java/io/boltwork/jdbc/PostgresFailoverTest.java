// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.boltwork.testkit.server.PostgresServer;
import io.boltwork.testkit.wait.Await;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.postgresql.ds.PGSimpleDataSource;

/** Failovers of PostgreSQL to a streaming replica. */
@EnabledIfSystemProperty(named = "boltwork.proof", matches = "true", disabledReason = "-Dboltwork.proof=true")
class PostgresFailoverTest extends FailoverTest {
    private static final String[] SETTINGS = {"max_connections=100", "synchronous_commit=on", "wal_level=replica"};

    @Override
    Pair start() {
        assumeTrue(PostgresServer.isInstalled(), "PostgreSQL is not installed");
        return new PostgresPair();
    }

    private static final class PostgresPair implements Pair {
        private final PostgresServer primary = PostgresServer.start(SETTINGS);
        private final PostgresServer replica = primary.startReplica(SETTINGS);
        private final PostgresSite first = new PostgresSite(primary);
        private final PostgresSite second = new PostgresSite(replica);

        PostgresPair() {
            Await.until(
                    "the replica follows",
                    () -> first.query("SELECT state FROM pg_stat_replication", row -> row.getString(1))
                            .equals(List.of("streaming")));
        }

        @Override
        public Pair synchronous() {
            first.execute("ALTER SYSTEM SET synchronous_standby_names = '*'");
            first.query("SELECT pg_reload_conf()", row -> row.getBoolean(1));
            Await.until(
                    "the replica is synchronous",
                    () -> first.query("SELECT sync_state FROM pg_stat_replication", row -> row.getString(1))
                            .equals(List.of("sync")));
            return this;
        }

        @Override
        public DataSource source() {
            PGSimpleDataSource source = new PGSimpleDataSource();
            String hosts = hostAndPort(primary) + "," + hostAndPort(replica);
            source.setUrl("jdbc:postgresql://" + hosts + "/postgres?user=boltwork&targetServerType=primary");
            return source;
        }

        private static String hostAndPort(PostgresServer server) {
            return server.uri().replaceFirst(".*//([^/]*)/.*", "$1");
        }

        @Override
        public boolean hasReplica(String lock) {
            return second.query(
                            "SELECT 1 FROM boltwork_lock WHERE kind = 0 AND convert_from(name, 'UTF8') = '" + lock
                                    + "'",
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
        }

        @Override
        public void killPrimary() {
            primary.kill();
        }

        @Override
        public void promote() {
            second.query("SELECT pg_promote()", row -> row.getBoolean(1));
        }

        @Override
        public boolean isPromoted() {
            return second.query("SELECT pg_is_in_recovery()", row -> row.getBoolean(1))
                    .equals(List.of(false));
        }

        @Override
        public void close() {
            primary.close();
            replica.close();
        }
    }
}
