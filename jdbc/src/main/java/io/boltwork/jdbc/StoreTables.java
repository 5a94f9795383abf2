// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

import io.boltwork.BackendException;
import io.boltwork.spi.Printable;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The tables of a store: knows their database, and makes them if they are missing. Thread-safe. */
final class StoreTables {
    /** Clients that make the tables at the same time disturb one another, but only at the first start. */
    private static final int ATTEMPTS = 5;

    private static final long LONGEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(50);

    private static final int H2_NO_SCHEMA = 90079;
    private static final int MARIADB_NO_SCHEMA = 1049;
    private static final String SCRIPT = " of the database from the jar (io/boltwork/jdbc/*.sql)";

    /** Text after a host that is no port. It may be a password that was cut off. */
    private static final Pattern NO_PORT = Pattern.compile("(//[^/:\\[(]*):(?!\\d*(?:[,/]|$))[^/]*");

    /** A database of H2 in a file that this process has open. The file is closed when its thread is interrupted. */
    private static final Pattern OWN_FILE = Pattern.compile("jdbc:h2:(?!mem:|tcp:|ssl:).*");

    private final JdbcOptions options;
    private final SqlFailures failures;
    private volatile @Nullable StoreStatements statements;
    private volatile boolean isProbed;
    private volatile boolean isAnyMissing;
    private volatile String address = "jdbc";
    private volatile boolean closedByInterrupts;

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

    /** Takes a URL for that of the database until a connection is made; {@code null} if none is known. */
    void expect(@Nullable String url) {
        if (url != null) {
            address = address(url);
        }
    }

    /** Returns the address of the database without credentials and parameters; {@code jdbc} if it is not known yet. */
    String address() {
        return address;
    }

    /** Returns whether an interrupt of a thread that uses the database would close it. */
    boolean isClosedByInterrupts() {
        return closedByInterrupts;
    }

    /**
     * Finds out which database a connection is to, and makes the tables if they are missing. Returns the identity of
     * both.
     */
    String prepare(Connection connection) throws SQLException {
        StoreStatements known = statements;
        if (known == null) {
            DatabaseMetaData database = connection.getMetaData();
            String url = String.valueOf(database.getURL());
            address = address(url);
            closedByInterrupts = OWN_FILE.matcher(url).matches();
            known = new StoreStatements(StoreDialect.of(database), options.tablePrefix());
            statements = known;
        }
        try {
            return prepare(connection, known);
        } catch (SQLException failure) {
            if (SqlFailures.isSyntax(failure)) {
                throw new BackendException(
                        address + ": the prefix " + options.tablePrefix()
                                + " cannot be used, because names with it would"
                                + " need quotes. Use one that contains no reserved word: "
                                + SqlFailures.told(failure),
                        false,
                        failure);
            }
            if (SqlFailures.kind(failure) == SqlFailures.Kind.INVALID) {
                checkTables(connection, known, failure);
            }
            throw failure;
        }
    }

    /** Remembers that tables are missing if a statement failed for that reason. */
    void missed(Throwable failure) {
        isAnyMissing |=
                failure instanceof SQLException sql && SqlFailures.areTablesMissing(sql) && options.createTables();
    }

    private String prepare(Connection connection, StoreStatements known) throws SQLException {
        if (isAnyMissing) {
            isAnyMissing = false; // if it fails, the next connection may find what another client has made
            make(connection, known.dialect, 1);
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
        if (statements().dialect == StoreDialect.POSTGRESQL) {
            schema = schema.toLowerCase(Locale.ROOT); // as it is understood without quotes
        }
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
            checkTables(connection, known, null);
            new StoreProbe(known, failures, address).run(connection);
            isProbed = true;
        }
    }

    /** Fails if the tables are not like those of the script. */
    private void checkTables(Connection connection, StoreStatements known, @Nullable SQLException cause)
            throws SQLException {
        String problem = new TableCheck(connection, known.dialect, options.tablePrefix()).problem();
        if (problem != null) {
            throw new BackendException(
                    address + ": " + problem
                            + ". Locks in it would not be safe. If it is Boltwork's, drop it, and make it with"
                            + " the script" + SCRIPT + "; if not, set another prefix. The prefix is "
                            + options.tablePrefix(),
                    false,
                    cause);
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
        int at = plain.lastIndexOf('@');
        int slashes = plain.indexOf("//");
        if (at > slashes && slashes >= 0) {
            plain = plain.substring(0, slashes + 2) + plain.substring(at + 1);
        } else if (at >= 0) { // as in the URLs of other databases
            plain = plain.replaceFirst("^(jdbc:\\w+:)?.*@", "$1");
        }
        return Printable.text(NO_PORT.matcher(plain).replaceFirst("$1"));
    }
}
