// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

import io.boltwork.spi.Command;
import io.boltwork.spi.Reply;
import io.boltwork.spi.ServerTime;
import io.boltwork.store.Extended;
import io.boltwork.store.RecordKey;
import io.boltwork.store.ShortForm;
import io.boltwork.store.StoreClock;
import io.boltwork.store.StoredText;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The commands that are one statement in PostgreSQL. They make the same records, and the same answers, as {@link
 * io.boltwork.spi.rules.LockRules}; a test compares both. Immutable.
 *
 * <p>Each statement first looks at the row ({@code seen}, in the statement's snapshot). If the short form does not
 * apply, it returns the row, and has neither written nor locked anything. Otherwise it writes ({@code done}), and
 * checks the row again under its lock, because another statement may have been faster.
 */
final class PostgresShortForms implements ShortForms {
    /**
     * The latest version of a row, from the version at a place on. It is of another row if the place was used again.
     */
    private static final String LATEST = "(SELECT currtid2('{lock}', :tid))";

    private static final String SEEN = """
            WITH at AS MATERIALIZED (SELECT {at} AS tid), seen AS MATERIALIZED (
                SELECT version, expires_at, fence, token, until_at, owner, rest, ctid FROM {lock}
                WHERE ctid = (SELECT tid FROM at) AND kind = 0 AND name = :name
            ),
            """.replace("{at}", at("0"));

    private static final String DONE = """
            SELECT TRUE AS done, {clock} AS clock, {started} AS started, d.version, d.expires_at, d.fence, d.token,
                d.until_at,
                CAST(NULL AS TEXT) AS owner, CAST(NULL AS TEXT) AS rest, CAST(d.ctid AS TEXT) AS place FROM""";

    private static final String NOT_DONE = """
            SELECT FALSE, {clock}, {started}, s.version, s.expires_at, s.fence, s.token, s.until_at, s.owner, s.rest,
                CAST(s.ctid AS TEXT) FROM seen s WHERE NOT EXISTS (SELECT 1 FROM updated)""";

    /**
     * The new row of a lock that is acquired. The sub-SELECT reads the clock once. It is evaluated again if another
     * statement has changed the row meanwhile. A record that has expired counts as missing, so its fence does not
     * count.
     */
    private static final String ACQUIRE =
            SEEN + """
            updated AS (
                UPDATE {lock} AS r
                SET (version, expires_at, drop_at, fence, token, until_at, owner) = (
                    SELECT r.version + 1, e.expires, greatest(e.expires, e.now + :life), e.token + :block, e.token,
                        e.ends, :owner
                    FROM (
                        SELECT n.now, n.token, n.now + :lease AS ends,
                            CASE WHEN (r.expires_at - n.now - :lease) * 8 < :life * 7
                                THEN n.now + :lease + :life ELSE r.expires_at END AS expires
                        FROM (
                            SELECT c.micros / 1000 AS now, greatest(c.micros,
                                CASE WHEN r.expires_at < c.micros / 1000 THEN 1 ELSE r.fence + 1 END) AS token
                            FROM (SELECT {clock} AS micros) c
                        ) n
                    ) e
                )
                WHERE r.ctid = (SELECT tid FROM at) AND r.kind = 0 AND r.name = :name
                    AND r.rest IS NULL AND r.owner IS DISTINCT FROM :owner
                    AND (r.owner IS NULL OR r.until_at <= {clock} / 1000) AND {clock} <= :latest
                RETURNING r.version, r.expires_at, r.fence, r.token, r.until_at, r.ctid
            ), inserted AS (
                INSERT INTO {lock} AS r (kind, name, version, expires_at, drop_at, fence, token, until_at, owner)
                SELECT 0, :name, c.micros, c.micros / 1000 + :lease + :life, c.micros / 1000 + :lease + :life,
                    c.micros + :block, c.micros, c.micros / 1000 + :lease, :owner
                FROM (SELECT {clock} AS micros) c
                WHERE c.micros <= :latest AND NOT EXISTS (SELECT 1 FROM seen)
                ON CONFLICT DO NOTHING
                RETURNING r.version, r.expires_at, r.fence, r.token, r.until_at, r.ctid
            )
            """ + DONE + " updated d\nUNION ALL\n" + DONE + " inserted d UNION ALL " + NOT_DONE;

    /** The time is read before the row is locked: it decides nothing here but whether the record has expired. */
    private static final String RELEASE = SEEN + """
            updated AS (
                UPDATE {lock} AS r SET version = r.version + 1, owner = NULL, token = 0,
                    fence = CASE WHEN r.token = :first AND r.fence = :first + :block THEN :last
                        ELSE greatest(r.fence, :last) END,
                    expires_at = CASE WHEN (r.expires_at - c.now) * 8 < :life * 7
                        THEN c.now + :life ELSE r.expires_at END,
                    drop_at = greatest(r.expires_at, c.now + :life),
                    until_at = 0
                FROM (SELECT {clock} / 1000 AS now) c
                WHERE r.ctid = (SELECT tid FROM at) AND r.kind = 0 AND r.name = :name
                    AND r.rest IS NULL AND r.owner = :owner AND r.expires_at >= c.now
                RETURNING r.version, r.expires_at, r.fence, c.now AS token, r.until_at, r.ctid
            )
            """ + DONE + " updated d UNION ALL " + NOT_DONE;

    /**
     * The time that the leases count from is read at the beginning; only whether it is too late is decided under the
     * lock of each row. Only one client extends a lease, so two such statements do not wait for each other in a cycle.
     * If statements of one client do, one of them fails, and its leases are extended one by one. Positions in arrays
     * take the place of a join, for which PostgreSQL may keep a plan that was good while the table was empty.
     */
    private static final String EXTEND = """
            UPDATE {lock} AS r SET version = r.version + 1,
                until_at = greatest(r.until_at, c.now + (:leases)[array_position(:names, r.name)]),
                expires_at = CASE WHEN (r.expires_at
                    - greatest(r.until_at, c.now + (:leases)[array_position(:names, r.name)])) * 8
                        < :life * 7
                    THEN greatest(r.until_at, c.now + (:leases)[array_position(:names, r.name)]) + :life
                    ELSE r.expires_at END,
                drop_at = greatest(r.expires_at,
                    greatest(r.until_at, c.now + (:leases)[array_position(:names, r.name)]) + :life)
            FROM (SELECT {clock} / 1000 AS now) c
            WHERE r.kind = 0 AND r.name = ANY(:names) AND r.rest IS NULL AND r.expires_at >= c.now
                AND {clock} <= :latest
                AND CASE WHEN r.name = ANY(:names) THEN r.owner = (:owners)[array_position(:names, r.name)]
                    AND r.token = (:tokens)[array_position(:names, r.name)] ELSE FALSE END
            RETURNING r.name, c.now, {started} AS started""";

    private final NamedSql acquire;
    private final NamedSql release;
    private final NamedSql extend;
    private final RowHints hints;

    PostgresShortForms(String prefix, RowHints hints) {
        this.hints = hints;
        acquire = StoreDialect.POSTGRESQL.sql(prefix, ACQUIRE);
        release = StoreDialect.POSTGRESQL.sql(prefix, RELEASE);
        extend = StoreDialect.POSTGRESQL.sql(prefix, EXTEND);
    }

    /**
     * Returns an expression for the place of a row: that which the latest version has, found from {@code :tid} or by
     * the key.
     */
    static String at(String kind) {
        String row = "(SELECT ctid FROM {lock} WHERE kind = " + kind + " AND name = :name";
        return "(SELECT COALESCE(" + row + " AND ctid = " + LATEST + "), " + row + ")))";
    }

    @Override
    public boolean canAcquire(String lock) {
        return true;
    }

    @Override
    public boolean canRelease() {
        return true;
    }

    @Override
    public ShortForm<Reply.Acquired> acquire(StoreSession session, Command.Acquire command, long idleMillis)
            throws SQLException {
        RecordKey key = new RecordKey(RecordKey.Kind.LOCK, command.lock());
        return hints.call(key, tid -> acquire(session, key, tid, command, idleMillis));
    }

    private ShortForm<Reply.Acquired> acquire(
            StoreSession session, RecordKey key, @Nullable String tid, Command.Acquire command, long idleMillis)
            throws SQLException {
        long lease = command.leaseMillis() + command.takeoverMillis();
        try (NamedSql.Prepared statement = acquire.on(session.connection);
                ResultSet row = ShortForms.set(statement, command, idleMillis)
                        .set("tid", tid)
                        .query()) {
            if (!noted(key, row)) {
                return ShortForm.none();
            }
            if (!row.getBoolean("done")) {
                return new ShortForm<>(null, found(session, row));
            }
            ServerTime server = time(session, row, row.getLong("until_at") - lease);
            return ShortForms.granted(server, row.getLong("token"), command);
        }
    }

    @Override
    public ShortForm<Reply.Released> release(StoreSession session, Command.Release command, long idleMillis)
            throws SQLException {
        RecordKey key = new RecordKey(RecordKey.Kind.LOCK, command.lock());
        return hints.call(key, tid -> release(session, key, tid, command, idleMillis));
    }

    private ShortForm<Reply.Released> release(
            StoreSession session, RecordKey key, @Nullable String tid, Command.Release command, long idleMillis)
            throws SQLException {
        try (NamedSql.Prepared statement = release.on(session.connection);
                ResultSet row = ShortForms.set(statement, command, idleMillis)
                        .set("tid", tid)
                        .query()) {
            if (!noted(key, row)) {
                return ShortForm.none();
            }
            return row.getBoolean("done")
                    ? ShortForms.released(time(session, row, row.getLong("token")))
                    : new ShortForm<>(null, found(session, row));
        }
    }

    @Override
    public Extended extend(StoreSession session, List<Command.Renew.Item> leases, long notAfter, long idleMillis)
            throws SQLException {
        List<Command.Renew.Item> items = leases.stream()
                .sorted(Comparator.comparing(Command.Renew.Item::lock))
                .toList();
        try (NamedSql.Prepared statement = extend.on(session.connection);
                ResultSet row = statement
                        .setArray(
                                "names",
                                "bytea",
                                items.stream()
                                        .map(item -> JdbcStore.bytes(item.lock()))
                                        .toArray(byte[][]::new))
                        .setArray(
                                "owners",
                                "text",
                                items.stream()
                                        .map(item -> RecordColumns.owner(item.request()))
                                        .toArray())
                        .setArray(
                                "tokens",
                                "bigint",
                                items.stream()
                                        .map(Command.Renew.Item::firstToken)
                                        .toArray())
                        .setArray(
                                "leases",
                                "bigint",
                                items.stream()
                                        .map(item -> item.leaseMillis() + item.takeoverMillis())
                                        .toArray())
                        .set("life", idleMillis)
                        .set("latest", JdbcStore.latestMicros(notAfter))
                        .query()) {
            Set<String> extended = new HashSet<>();
            ServerTime server = null;
            while (row.next()) {
                extended.add(new String(row.getBytes("name"), StandardCharsets.UTF_8));
                server = server == null ? time(session, row, row.getLong("now")) : server;
            }
            return new Extended(extended, server);
        }
    }

    /** Records the place of the row. Returns whether there is one. */
    private boolean noted(RecordKey key, ResultSet row) throws SQLException {
        boolean isThere = row.next();
        hints.note(key, isThere ? row.getLong("version") : 0, isThere ? row.getString("place") : null);
        return isThere;
    }

    private static StoredText found(StoreSession session, ResultSet row) throws SQLException {
        StoreClock clock = session.clock(row);
        return JdbcStore.stored(RecordKey.Kind.LOCK, row, clock);
    }

    private static ServerTime time(StoreSession session, ResultSet row, long millis) throws SQLException {
        return session.clock(millis * 1_000, row.getLong("started")).earliest();
    }
}
