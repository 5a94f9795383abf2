// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.doctor;

import io.boltwork.BackendException;
import io.boltwork.ClientHealth;
import io.boltwork.LockClient;
import io.boltwork.tools.connect.StoreOptions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** Examines a database: first as a client of locks sees it, then its settings and its clock. */
final class DatabaseExamination implements Examination {
    private static final int QUERIES = 100;
    private static final long LONGEST = 1_000_000_000L;

    private final StoreOptions store;
    private final Latencies latencies;
    private final Diagnosis diagnosis;
    private final String address;

    DatabaseExamination(StoreOptions store, Latencies latencies, Diagnosis diagnosis) {
        this.store = store;
        this.latencies = latencies;
        this.diagnosis = diagnosis;
        String plain = store.uri().strip().split("[?;]", 2)[0];
        this.address = plain.replaceFirst("//[^/]*@", "//");
    }

    @Override
    public void examine() {
        try (LockClient locks = store.connectToLook("boltwork doctor")) {
            ClientHealth health = locks.health();
            diagnosis.health(address, health);
            ProbeLock.measure(locks, address, diagnosis).ifPresent(timing -> latencies.check(diagnosis, timing));
        } catch (BackendException why) {
            diagnosis.cannotConnect(address, why);
        }
        try (Connection connection = store.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            diagnosis.reached();
            queries(statement);
            switch (connection.getMetaData().getDatabaseProductName()) {
                case "PostgreSQL" -> postgres(statement);
                case "MariaDB", "MySQL" -> mariaDb(statement);
                default -> {
                    // H2 has no such settings
                }
            }
        } catch (SQLException refused) {
            // the client has already told why
        }
    }

    private void queries(Statement statement) throws SQLException {
        long[] nanos = new long[QUERIES];
        int done = 0;
        long end = System.nanoTime() + LONGEST;
        statement.execute("SELECT 1");
        while (done < QUERIES && (done == 0 || System.nanoTime() < end)) {
            long start = System.nanoTime();
            statement.execute("SELECT 1");
            nanos[done++] = System.nanoTime() - start;
        }
        latencies.check(diagnosis, Timing.of("SELECT 1", address, java.util.Arrays.copyOf(nanos, done)));
    }

    private void postgres(Statement statement) throws SQLException {
        clock(statement, "SELECT extract(epoch FROM clock_timestamp())");
        if (text(statement, "SELECT pg_is_in_recovery()").equals("t")) {
            diagnosis.severe(
                    "replica",
                    address,
                    "the server is a read-only standby",
                    "no lock can be taken here",
                    "connect to the primary: jdbc:postgresql://host1,host2/db?targetServerType=primary");
            return;
        }
        if (text(statement, "SHOW default_transaction_read_only").equals("on")) {
            diagnosis.severe(
                    "settings",
                    address,
                    "default_transaction_read_only is on",
                    "no lock can be taken",
                    "ALTER ROLE <user> SET default_transaction_read_only = off");
        }
        if (text(statement, "SHOW fsync").equals("off")) {
            diagnosis.severe(
                    "persistence",
                    address,
                    "fsync is off",
                    "a crash of the machine can damage or lose all locks",
                    "ALTER SYSTEM SET fsync = on, then SELECT pg_reload_conf()");
        }
        if (text(statement, "SHOW synchronous_commit").equals("off")) {
            diagnosis.warning(
                    "persistence",
                    address,
                    "synchronous_commit is off",
                    "a crash loses the last commits, so a lock that was granted may be granted again",
                    "ALTER ROLE <user> SET synchronous_commit = on");
        }
        postgresRights(statement);
        postgresConnections(statement);
    }

    private void postgresRights(Statement statement) throws SQLException {
        String prefix = store.prefix("boltwork_");
        List<String> missing = new ArrayList<>();
        for (String table : new String[] {"lock", "client", "inbox", "store"}) {
            for (String right : new String[] {"SELECT", "INSERT", "UPDATE", "DELETE"}) {
                String answer = text(
                        statement,
                        "SELECT has_table_privilege(to_regclass('" + prefix.replace("'", "''") + table + "')::oid, '"
                                + right + "')");
                if (answer.equals("f")) {
                    missing.add(right + " ON " + prefix + table);
                }
            }
        }
        if (!missing.isEmpty()) {
            diagnosis.severe(
                    "rights",
                    address,
                    "the user lacks " + String.join(", ", missing),
                    "the client cannot acquire locks",
                    "GRANT SELECT, INSERT, UPDATE, DELETE ON " + prefix + "lock, " + prefix + "client, " + prefix
                            + "inbox, " + prefix + "store TO " + text(statement, "SELECT quote_ident(current_user)"));
        }
    }

    private void postgresConnections(Statement statement) throws SQLException {
        long most = number(statement, "SHOW max_connections");
        long used = number(statement, "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'");
        if (used > 0.9 * most) {
            diagnosis.warning(
                    "connections",
                    address,
                    used + " of at most " + most + " connections are in use",
                    "each client needs three, and a client that cannot connect again loses its locks",
                    "ALTER SYSTEM SET max_connections = " + 2 * most + ", then restart the server");
        }
    }

    private void mariaDb(Statement statement) throws SQLException {
        clock(statement, "SELECT UNIX_TIMESTAMP(NOW(6))");
        if (number(statement, "SELECT @@read_only") != 0) {
            diagnosis.severe(
                    "replica",
                    address,
                    "the server is read-only",
                    "no lock can be taken here",
                    "connect to the primary");
        }
        if (number(statement, "SELECT @@innodb_flush_log_at_trx_commit") != 1) {
            diagnosis.warning(
                    "persistence",
                    address,
                    "innodb_flush_log_at_trx_commit is not 1",
                    "a crash loses the last commits, so a lock that was granted may be granted again",
                    "SET GLOBAL innodb_flush_log_at_trx_commit = 1, and the same in the configuration");
        }
        if (text(statement, "SELECT @@binlog_format").equals("STATEMENT")) {
            diagnosis.warning(
                    "replication",
                    address,
                    "binlog_format is STATEMENT",
                    "statements of locks are unsafe for replication",
                    "SET GLOBAL binlog_format = ROW, and the same in the configuration");
        }
    }

    private void clock(Statement statement, String query) throws SQLException {
        long sent = System.nanoTime();
        double before = System.currentTimeMillis() / 1e3;
        double server = Double.parseDouble(text(statement, query));
        long took = System.nanoTime() - sent;
        Clocks clocks = new Clocks(diagnosis);
        clocks.read(
                address, new ClockReading(sent + took / 2, server, server - before - took / 2e9, took / 2e9 + 1e-3));
        clocks.compare(false);
    }

    private static String text(Statement statement, String query) throws SQLException {
        try (ResultSet row = statement.executeQuery(query)) {
            String value = row.next() ? row.getString(1) : "";
            return value == null ? "" : value;
        }
    }

    private static long number(Statement statement, String query) throws SQLException {
        return Long.parseLong(text(statement, query));
    }
}
