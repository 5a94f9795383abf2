// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

import io.boltwork.BackendException;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.Map;

/** The differences between the statements of databases. */
enum StoreDialect {
    /**
     * PostgreSQL. {@code clock_timestamp()} is evaluated where and when it is used; {@code now()} would be the time at
     * which the statement began, before it waited for a row.
     */
    POSTGRESQL("postgresql.sql") {
        @Override
        String clock() {
            return "CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT)";
        }

        @Override
        String started() {
            return "CAST(extract(epoch FROM pg_postmaster_start_time()) * 1000000 AS BIGINT)";
        }

        @Override
        String server() {
            return "current_database()";
        }

        @Override
        String row() {
            return super.row() + " AND r.ctid = " + PostgresShortForms.at(":kind");
        }

        @Override
        String place() {
            return "CAST(r.ctid AS TEXT)";
        }

        @Override
        String ignoringDuplicates() {
            return " ON CONFLICT DO NOTHING";
        }

        @Override
        String typed(String parameter, String type) {
            return cast(parameter, type.equals(BINARY) ? "BYTEA" : type.equals(BINARY + "[]") ? "BYTEA[]" : type);
        }

        @Override
        String updatingPresence() {
            return "INSERT INTO {client} (client, seen_at) VALUES (:client, {clock})"
                    + " ON CONFLICT (client) DO UPDATE SET seen_at = {clock}";
        }
    },

    /**
     * MariaDB and MySQL. {@code UTC_TIMESTAMP} is the time at which the statement began. {@code SYSDATE} is evaluated
     * where it is used, but is local time, which repeats an hour once a year. So the difference between it and the
     * local time at the beginning is added, modulo 15 minutes, which no change of local time is a fraction of.
     */
    MARIADB("mariadb.sql") {
        @Override
        String clock() {
            return "(" + statementClock()
                    + " + MOD(TIMESTAMPDIFF(MICROSECOND, NOW(6), SYSDATE(6)) + 3600000000, 900000000))";
        }

        @Override
        String statementClock() {
            return "TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(6))";
        }

        @Override
        String version() {
            return "SELECT CONCAT(@@version_comment, ' ', VERSION())";
        }

        @Override
        String server() {
            return "CONCAT(@@hostname, ':', @@port)";
        }

        @Override
        String dual() {
            return " FROM DUAL";
        }

        @Override
        String updatingPresence() {
            return "INSERT INTO {client} (client, seen_at) VALUES (:client, {clock})"
                    + " ON DUPLICATE KEY UPDATE seen_at = {clock}";
        }
    },

    /** H2. {@code CURRENT_TIMESTAMP} is the time at which a statement in auto-commit mode first asks for it. */
    H2("h2.sql") {
        @Override
        String clock() {
            return "CAST(EXTRACT(EPOCH FROM CURRENT_TIMESTAMP(6)) * 1000000 AS BIGINT)";
        }

        @Override
        String limit() { // LIMIT is unknown in some of the modes
            return "FETCH FIRST :count ROWS ONLY";
        }

        @Override
        String remedy() {
            return ". If the URL of H2 has a MODE, remove it, or give Boltwork a database of its own";
        }

        @Override
        String version() {
            return "SELECT 'H2 ' || H2VERSION()";
        }

        @Override
        String server() {
            return "'h2'";
        }

        @Override
        String typed(String parameter, String type) {
            return cast(parameter, type.equals(TEXT) ? "VARCHAR" : type);
        }

        @Override
        String updatingPresence() {
            return "MERGE INTO {client} (client, seen_at) KEY (client) VALUES (:client, {clock})";
        }
    };

    private static final String BINARY = "VARBINARY";
    private static final String TEXT = "TEXT";

    /** The types of the parameters that are not BIGINT. */
    private static final Map<String, String> TYPES = Map.ofEntries(
            Map.entry("kind", "SMALLINT"),
            Map.entry("name", BINARY),
            Map.entry("after", BINARY),
            Map.entry("client", BINARY),
            Map.entry("owner", TEXT),
            Map.entry("rest", TEXT),
            Map.entry("message", TEXT),
            Map.entry("channel", TEXT),
            Map.entry("tid", "TID"),
            Map.entry("names", BINARY + "[]"),
            Map.entry("owners", TEXT + "[]"),
            Map.entry("tokens", "BIGINT[]"),
            Map.entry("leases", "BIGINT[]"));

    private final String script;

    StoreDialect(String script) {
        this.script = script;
    }

    /**
     * Returns an expression for the time, in microseconds since the epoch, evaluated where it is used if that is
     * possible.
     */
    abstract String clock();

    /** Returns an expression for the time that does not change within a statement, as far as the database has one. */
    String statementClock() {
        return clock();
    }

    /** Returns an expression that changes with each start of the server, if the database knows one. */
    String started() {
        return "0";
    }

    /** Returns an expression that tells servers apart. */
    abstract String server();

    /** Returns a statement that reads the version of the database. */
    String version() {
        return "SELECT version()";
    }

    /** Returns the condition for one row of the table of locks, which is called r. */
    String row() {
        return "r.kind = :kind AND r.name = :name";
    }

    /** Returns an expression for the place of that row. */
    String place() {
        return "NULL";
    }

    /** Returns the end of a SELECT of a few rows. */
    String limit() {
        return "LIMIT :count";
    }

    /** Returns what to do if the database refuses a statement. */
    String remedy() {
        return ". The tables may be those of another program or version: give Boltwork's a prefix of their own, or"
                + " make them with the script from the jar (io/boltwork/jdbc/*.sql)";
    }

    /** Returns the end of a SELECT without a table. */
    String dual() {
        return "";
    }

    /** Returns the end of an INSERT that does nothing if there is a row with the key; otherwise it fails then. */
    String ignoringDuplicates() {
        return "";
    }

    /**
     * Returns a parameter with its type. A database that finds out the type from the context fails where the context
     * says nothing, and a driver that sends values as literals, as PostgreSQL's does with
     * {@code preferQueryMode=simple}, does not say the type either.
     */
    String typed(String parameter, String type) {
        return parameter;
    }

    private static String cast(String parameter, String type) {
        return "CAST(" + parameter + " AS " + type + ")";
    }

    /** Returns the statement that says that a client asks for its messages. */
    abstract String updatingPresence();

    /** Returns the name of the script that makes the tables. */
    String script() {
        return script;
    }

    /** Returns a statement. The braces stand for tables with the prefix, and for expressions of the dialect. */
    NamedSql sql(String prefix, String text) {
        String sql = text.replace("{row}", row()).replace("{place}", place());
        for (String table : new String[] {"lock", "client", "inbox", "store"}) {
            sql = sql.replace("{" + table + "}", prefix + table);
        }
        return new NamedSql(
                sql.replace("{limit}", limit())
                        .replace("{clock}", clock())
                        .replace("{statementClock}", statementClock())
                        .replace("{started}", started())
                        .replace("{server}", server())
                        .replace("{dual}", dual()),
                parameter -> typed("?", TYPES.getOrDefault(parameter, "BIGINT")));
    }

    /** Returns the dialect of a database. */
    static StoreDialect of(DatabaseMetaData database) throws SQLException {
        String product = database.getDatabaseProductName();
        return switch (product) {
            case "PostgreSQL" -> POSTGRESQL;
            case "MariaDB", "MySQL" -> MARIADB;
            case "H2" -> H2;
            default ->
                throw new BackendException(
                        "JdbcBackend does not know the database '" + product
                                + "'. It supports PostgreSQL 13 or later, MariaDB, MySQL 8 or later, and H2 2.x",
                        false,
                        null);
        };
    }
}
