// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.boltwork.testkit.server.PostgresServer;
import io.boltwork.testkit.wait.Await;
import java.util.List;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/** A real PostgreSQL. */
class PostgresSite extends JdbcSite {
    private static PostgresSite started;

    final PostgresServer server;

    PostgresSite(PostgresServer server) {
        this.server = server;
    }

    /** Returns the server of this JVM; skips the test if there is none. */
    static PostgresSite get() {
        assumeTrue(PostgresServer.isInstalled(), "PostgreSQL is not installed");
        if (started == null) {
            started = new PostgresSite(PostgresServer.start("max_connections=300"));
        }
        return started;
    }

    @Override
    DataSource source() {
        return source("");
    }

    /** Returns a data source with further parameters, such as {@code &options=...}. */
    DataSource source(String parameters) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(server.uri() + parameters);
        return source;
    }

    @Override
    StoreDialect dialect() {
        return StoreDialect.POSTGRESQL;
    }

    @Override
    public void freeze() {
        server.freeze();
    }

    @Override
    public void thaw() {
        server.thaw();
    }

    @Override
    public void disconnectAll() {
        List<Integer> ended = query(
                "SELECT pid, pg_terminate_backend(pid) FROM pg_stat_activity"
                        + " WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()",
                row -> row.getInt(1));
        Await.until(
                "the connections are gone",
                () -> query("SELECT pid FROM pg_stat_activity", row -> row.getInt(1)).stream()
                        .noneMatch(ended::contains));
    }

    @Override
    public void restartEmpty() {
        server.restartEmpty();
    }

    @Override
    public int listeners() {
        return query(
                        "SELECT COUNT(DISTINCT (classid, objid)) FROM pg_locks WHERE locktype = 'advisory'",
                        row -> row.getInt(1))
                .get(0);
    }
}
