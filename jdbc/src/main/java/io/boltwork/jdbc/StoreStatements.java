// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

/** The statements of a store in the dialect of its database. Immutable. */
final class StoreStatements {
    private static final String UPDATE = """
            UPDATE {lock} SET version = version + 1, expires_at = :expires, drop_at = :drop, fence = :fence,
                token = :token, until_at = :until, owner = :owner, rest = :rest
            WHERE kind = :kind AND name = :name AND version = :version AND {clock} <= :latest""";

    final StoreDialect dialect;

    /** Returns {@code run} and {@code server}. */
    final NamedSql identity;

    /** Changes no row, and fails in a database that is read-only for this connection, for whatever reason. */
    final NamedSql writeNothing;

    /** Returns {@code clock} and {@code started}. */
    final NamedSql clock;

    /** Returns the clock and, if there is the row, its columns; {@code version} is NULL if there is none. */
    final NamedSql read;

    final NamedSql update;

    /** Updates the row at a place, in PostgreSQL. */
    final NamedSql updateAt;

    final NamedSql insert;
    final NamedSql scan;

    /** Extends one lease. */
    final NamedSql extend;

    final NamedSql seen;
    final NamedSql isPresent;
    final NamedSql forgetPresence;
    final NamedSql send;
    final NamedSql receive;
    final NamedSql received;
    final NamedSql beginSweep;
    final NamedSql expired;
    final NamedSql drop;
    final NamedSql dropMessages;
    final NamedSql dropClients;

    /** For PostgreSQL only. */
    final NamedSql listens;

    /** For PostgreSQL only. */
    final NamedSql notify;

    StoreStatements(StoreDialect dialect, String prefix) {
        this.dialect = dialect;
        identity = dialect.sql(prefix, "SELECT run, {server} AS server FROM {store} WHERE id = 1");
        writeNothing = dialect.sql(prefix, "UPDATE {store} SET swept_at = 0 WHERE id = -1");
        clock = dialect.sql(prefix, "SELECT {clock} AS clock, {started} AS started{dual}");
        read = dialect.sql(prefix, """
                SELECT {clock} AS clock, {started} AS started,
                    r.version, r.expires_at, r.fence, r.token, r.until_at, r.owner, r.rest, {place} AS place
                FROM (SELECT 1 AS one) o LEFT JOIN {lock} r ON {row}""");
        update = dialect.sql(prefix, UPDATE);
        updateAt = dialect == StoreDialect.POSTGRESQL ? dialect.sql(prefix, UPDATE + " AND ctid = :tid") : update;
        insert = dialect.sql(prefix, """
                INSERT INTO {lock} (kind, name, version, expires_at, drop_at, fence, token, until_at, owner, rest)
                SELECT :kind, :name, {clock}, :expires, :drop, :fence, :token, :until, :owner, :rest{dual}
                WHERE {clock} <= :latest""" + dialect.ignoringDuplicates());
        scan = dialect.sql(prefix, """
                SELECT {clock} AS clock, {started} AS started,
                    r.name, r.version, r.expires_at, r.fence, r.token, r.until_at, r.owner, r.rest
                FROM (SELECT 1 AS one) o LEFT JOIN (
                    SELECT * FROM {lock} WHERE kind = :kind AND name > :after ORDER BY name {limit}
                ) r ON r.version > 0 ORDER BY r.name""");
        extend = extend(dialect, prefix);
        seen = dialect.sql(prefix, dialect.updatingPresence());
        isPresent = dialect.sql(
                prefix, "SELECT COUNT(*) FROM {client} WHERE client = :client AND seen_at > {clock} - :life");
        forgetPresence = dialect.sql(prefix, "DELETE FROM {client} WHERE client = :client");
        send = dialect.sql(
                prefix, "INSERT INTO {inbox} (client, id, sent_at, message) VALUES (:client, :id, {clock}, :message)");
        receive = dialect.sql(
                prefix, "SELECT id, message FROM {inbox} WHERE client = :client ORDER BY sent_at, id {limit}");
        received = dialect.sql(prefix, "DELETE FROM {inbox} WHERE client = :client AND id = :id");
        beginSweep = dialect.sql(
                prefix,
                "UPDATE {store} SET swept_at = {clock} / 1000 WHERE id = 1 AND swept_at < {clock} / 1000 - :pause");
        expired = dialect.sql(
                prefix, "SELECT kind, name, {clock} / 1000 AS now FROM {lock} WHERE drop_at < {clock} / 1000 {limit}");
        drop = dialect.sql(
                prefix, "DELETE FROM {lock} WHERE kind = :kind AND name = :name AND drop_at < {clock} / 1000");
        dropMessages = dialect.sql(prefix, "DELETE FROM {inbox} WHERE sent_at < {clock} - :age");
        dropClients = dialect.sql(prefix, "DELETE FROM {client} WHERE seen_at < {clock} - :age");
        listens = dialect.sql(prefix, PostgresChannel.LISTENS);
        notify = dialect.sql(prefix, PostgresChannel.NOTIFY);
    }

    /**
     * The new values of the columns may be computed from old or new ones, which MariaDB and others do differently: to
     * compute a column twice changes nothing.
     */
    private static NamedSql extend(StoreDialect dialect, String prefix) {
        String end = "GREATEST(until_at, FLOOR({statementClock} / 1000) + :lease)";
        String expires =
                "CASE WHEN (expires_at - " + end + ") * 8 < :life * 7 THEN " + end + " + :life ELSE expires_at END";
        return dialect.sql(
                prefix,
                "UPDATE {lock} SET version = version + 1, until_at = " + end + ", expires_at = " + expires
                        + ", drop_at = GREATEST(" + expires + ", FLOOR({statementClock} / 1000) + :life)"
                        + " WHERE kind = 0 AND name = :name AND owner = :owner AND token = :token AND rest IS NULL"
                        + " AND expires_at >= FLOOR({clock} / 1000) AND {clock} <= :latest");
    }
}
