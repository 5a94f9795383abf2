// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

import io.boltwork.BackendException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** The tables of a store: knows their database, and makes them if they are missing. Thread-safe. */
final class StoreTables {
    /** Clients that make the tables at the same time disturb one another, but only at the first start. */
    private static final int ATTEMPTS = 5;

    private static final long LONGEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(50);

    private static final int H2_NO_SCHEMA = 90079;
    private static final int MARIADB_NO_SCHEMA = 1049;
    private static final String SCRIPT = " of the database from the jar (io/boltwork/jdbc/*.sql)";

    private final JdbcOptions options;
    private final SqlFailures failures;
    private volatile @Nullable StoreStatements statements;
    private volatile boolean isProbed;
    private volatile String address = "jdbc";

    StoreTables(JdbcOptions options) {
        this.options = options;
        this.failures = new SqlFailures(options);
    }

    /** Returns what knows the meaning of errors. */
    SqlFailures failures() {
        return failures;
    }

    /** Returns the statements, once a connection has been prepared. */
    StoreStatements statements() {
        return Objects.requireNonNull(statements, "The store has not been opened");
    }

    /** Returns the address of the database without credentials and parameters; {@code jdbc} until a connection was made. */
    String address() {
        return address;
    }

    /** Finds out which database a connection is to, and makes the tables if they are missing. Returns the identity of both. */
    String prepare(Connection connection) throws SQLException {
        StoreStatements known = statements;
        if (known == null) {
            DatabaseMetaData database = connection.getMetaData();
            address = address(String.valueOf(database.getURL()));
            known = new StoreStatements(StoreDialect.of(database), options.tablePrefix());
            statements = known;
        }
        for (int attempts = 1; ; attempts++) {
            try {
                String found = identity(connection, known);
                if (found != null) {
                    checkUsable(connection, known);
                    return found;
                }
            } catch (SQLException failure) {
                boolean isMissing = SqlFailures.areTablesMissing(failure) || isSchemaMissing(failure);
                if (isMissing && !options.createTables()) {
                    throw noStore(failure);
                }
                if (!isMissing || attempts > ATTEMPTS) {
                    throw failure;
                }
            }
            make(connection, known.dialect, attempts);
        }
    }

    private BackendException noStore(SQLException failure) {
        return new BackendException(
                address + ": no store of Boltwork here: there are no tables with the prefix " + options.tablePrefix()
                        + ". Check the address of the database and the prefix. " + "The script" + SCRIPT
                        + " makes the tables, and so"
                        + " does JdbcOptions.withCreateTables(true)",
                false,
                failure);
    }

    private static boolean isSchemaMissing(SQLException failure) {
        return "3F000".equals(failure.getSQLState())
                || failure.getErrorCode() == H2_NO_SCHEMA
                || failure.getErrorCode() == MARIADB_NO_SCHEMA;
    }

    private BackendException noSchema(SQLException failure) {
        String schema = options.tablePrefix()
                .substring(0, Math.max(0, options.tablePrefix().indexOf('.')));
        String problem = schema.isEmpty()
                ? "the user has no schema in which tables are made"
                : "the schema " + schema + " does not exist";
        String remedy = schema.isEmpty() ? "Name one in the prefix" : "Run CREATE SCHEMA " + schema;
        return new BackendException(
                address + ": " + problem + ", and Boltwork makes no schemas. " + remedy
                        + ", or use another prefix. The prefix is " + options.tablePrefix(),
                false,
                failure);
    }

    private @Nullable String identity(Connection connection, StoreStatements known) throws SQLException {
        try (NamedSql.Prepared identify = known.identity.on(connection);
                ResultSet row = identify.query()) {
            if (!row.next()) {
                if (!options.createTables()) {
                    throw new BackendException(
                            address + ": the table " + options.tablePrefix() + "store has no row. Run the whole script"
                                    + SCRIPT,
                            false,
                            null);
                }
                return null;
            }
            return row.getString("server") + "/" + row.getString("run");
        }
    }

    /** Fails if nothing can be written, or if a statement is refused. */
    private void checkUsable(Connection connection, StoreStatements known) throws SQLException {
        try (NamedSql.Prepared write = known.writeNothing.on(connection)) {
            write.update();
        }
        if (!isProbed) {
            new StoreProbe(known, failures, address).run(connection);
            isProbed = true;
        }
    }

    /** Runs the script. Other clients may do so at the same time, which PostgreSQL answers with errors. */
    private void make(Connection connection, StoreDialect dialect, int attempts) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (String each : NamedSql.statements(script(dialect).replace("boltwork_", options.tablePrefix()))) {
                statement.execute(each);
            }
        } catch (SQLException failure) {
            if (isSchemaMissing(failure)) {
                throw noSchema(failure);
            }
            if (attempts >= ATTEMPTS || SqlFailures.kind(failure) != SqlFailures.Kind.OTHER) {
                throw failure;
            }
            LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(LONGEST_PAUSE));
        }
    }

    static String script(StoreDialect dialect) {
        try (InputStream in = StoreTables.class.getResourceAsStream(dialect.script())) {
            return new String(Objects.requireNonNull(in, dialect.script()).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
    }

    /** Returns a URL without its parameters, and without credentials before the host. */
    static String address(String url) {
        String plain = url.split("[?;]", 2)[0];
        int slashes = plain.indexOf("//");
        int at = plain.lastIndexOf('@');
        return slashes >= 0 && at > slashes ? plain.substring(0, slashes + 2) + plain.substring(at + 1) : plain;
    }
}
