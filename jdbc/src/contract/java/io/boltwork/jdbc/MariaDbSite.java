// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.boltwork.testkit.server.MariaDbServer;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.mariadb.jdbc.MariaDbDataSource;

/** A real MariaDB. */
final class MariaDbSite extends JdbcSite {
    private static MariaDbSite started;

    final MariaDbServer server;

    MariaDbSite(MariaDbServer server) {
        this.server = server;
    }

    /** Returns the server of this JVM; skips the test if there is none. */
    static MariaDbSite get() {
        assumeTrue(MariaDbServer.isInstalled(), "MariaDB is not installed");
        if (started == null) {
            started = new MariaDbSite(MariaDbServer.start("max-connections=400"));
        }
        return started;
    }

    @Override
    DataSource source() {
        try {
            return new MariaDbDataSource(server.uri());
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    StoreDialect dialect() {
        return StoreDialect.MARIADB;
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
        for (long id : query(
                "SELECT id FROM information_schema.processlist WHERE user = 'root' AND id <> CONNECTION_ID()",
                row -> row.getLong(1))) {
            execute("KILL SOFT " + id);
        }
    }

    @Override
    public void restartEmpty() {
        server.restartEmpty();
    }
}
