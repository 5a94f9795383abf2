// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

import io.boltwork.BackendException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;

/**
 * Executes each kind of statement once, so that a database which refuses one is refused when the client is created, and
 * not when a lock waits for it. Leaves nothing behind: most statements match no row, and two rows are deleted again.
 */
final class StoreProbe {
    /** Long before any clock, and far longer than any age. */
    private static final long NEVER = 1L << 60;

    private static final int SHOWN = 70;

    private final StoreStatements statements;
    private final SqlFailures failures;
    private final String address;
    private final byte[] nobody = JdbcStore.bytes("probe " + UUID.randomUUID());

    StoreProbe(StoreStatements statements, SqlFailures failures, String address) {
        this.statements = statements;
        this.failures = failures;
        this.address = address;
    }

    /** Executes all statements. */
    void run(Connection connection) throws SQLException {
        StoreStatements all = statements;
        run(
                connection,
                List.of(
                        all.read,
                        all.scan,
                        all.insert,
                        all.update,
                        all.extend,
                        all.seen,
                        all.isPresent,
                        all.forgetPresence,
                        all.send,
                        all.receive,
                        all.received,
                        all.beginSweep,
                        all.drop));
    }

    /** Executes the statements that write the record of a lock. None of them matches a row. */
    void runWrites(Connection connection) throws SQLException {
        run(connection, List.of(statements.insert, statements.update));
    }

    private void run(Connection connection, List<NamedSql> run) throws SQLException {
        for (NamedSql each : run) {
            try (NamedSql.Prepared prepared = each.on(connection)) {
                for (String parameter : each.parameters()) {
                    set(prepared, parameter);
                }
                prepared.execute();
            } catch (SQLException failure) {
                throw refused(each, failure);
            }
        }
    }

    private void set(NamedSql.Prepared prepared, String parameter) throws SQLException {
        switch (parameter) {
            case "name", "after", "client" -> prepared.set(parameter, nobody);
            case "tid" -> prepared.set(parameter, (String) null);
            case "owner", "rest", "message" -> prepared.set(parameter, "probe");
            case "count" -> prepared.set(parameter, 1);
            case "pause" -> prepared.set(parameter, NEVER);
            case "version", "latest" -> prepared.set(parameter, -1);
            default -> prepared.set(parameter, 0);
        }
    }

    private SQLException refused(NamedSql statement, SQLException failure) {
        if (!failures.isRefusal(failure) || failures.mayPass(failure)) {
            return failure;
        }
        String text = statement.toString().replaceAll("\\s+", " ");
        String shown = text.length() > SHOWN ? text.substring(0, SHOWN) + "..." : text;
        throw new BackendException(
                address + ": the database refuses a statement that every client needs (" + shown + "): "
                        + SqlFailures.told(failure)
                        + (failures.isAboutRights(failure) ? failures.advice(failure) : statements.dialect.remedy()),
                false,
                failure);
    }
}
