// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

import io.boltwork.spi.Command;
import io.boltwork.spi.Reply;
import io.boltwork.spi.ServerTime;
import io.boltwork.store.Extended;
import io.boltwork.store.ShortForm;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The commands that are one statement in H2: {@code FINAL TABLE} reads the rows that a statement has written.
 *
 * <p>H2 reads its clock when a statement begins, and a statement may then wait for a row. So an acquire that finds the
 * lock free could be too late, and be executed after the request was withdrawn. That is why it needs the version of the
 * row, which each withdraw raises. The version is known from the last release.
 */
final class H2ShortForms implements ShortForms {
    private static final String NOW = "({clock} / 1000)";

    /**
     * A database that was restored from a backup may give a version again, so it does not show that the lock is free.
     */
    private static final String ACQUIRE = """
            SELECT {clock} AS clock, 0 AS started, token FROM FINAL TABLE (
                UPDATE {lock} SET version = version + 1, owner = :owner,
                    token = GREATEST({clock}, fence + 1), fence = GREATEST({clock}, fence + 1) + :block,
                    until_at = {now} + :lease,
                    expires_at = CASE WHEN (expires_at - {now} - :lease) * 8 < :life * 7
                        THEN {now} + :lease + :life ELSE expires_at END,
                    drop_at = GREATEST({now} + :life, CASE WHEN (expires_at - {now} - :lease) * 8 < :life * 7
                        THEN {now} + :lease + :life ELSE expires_at END)
                WHERE kind = 0 AND name = :name AND version = :version AND owner IS NULL AND rest IS NULL
                    AND expires_at >= {now} AND {clock} <= :latest)""";

    private static final String RELEASE = """
            SELECT {clock} AS clock, 0 AS started, version FROM FINAL TABLE (
                UPDATE {lock} SET version = version + 1, owner = NULL, token = 0, until_at = 0,
                    fence = CASE WHEN token = :first AND fence = :first + :block THEN :last
                        ELSE GREATEST(fence, :last) END,
                    expires_at = CASE WHEN (expires_at - {now}) * 8 < :life * 7 THEN {now} + :life ELSE expires_at END,
                    drop_at = GREATEST(expires_at, {now} + :life)
                WHERE kind = 0 AND name = :name AND rest IS NULL AND owner = :owner AND expires_at >= {now})""";

    /** About a megabyte, for names of usual length. */
    private static final int MOST_VERSIONS = 10_000;

    private final NamedSql acquire;
    private final NamedSql release;

    /** The version of a lock's row when this client released it, by lock. */
    private final Map<String, Long> versions = new ConcurrentHashMap<>();

    H2ShortForms(String prefix) {
        acquire = StoreDialect.H2.sql(prefix, ACQUIRE.replace("{now}", NOW));
        release = StoreDialect.H2.sql(prefix, RELEASE.replace("{now}", NOW));
    }

    @Override
    public boolean canAcquire(String lock) {
        return versions.containsKey(lock);
    }

    @Override
    public boolean canRelease() {
        return true;
    }

    @Override
    public ShortForm<Reply.Acquired> acquire(StoreSession session, Command.Acquire command, long idleMillis)
            throws SQLException {
        Long version = versions.remove(command.lock());
        if (version == null) { // another thread was faster
            return ShortForm.none();
        }
        try (NamedSql.Prepared statement = acquire.on(session.connection);
                ResultSet row = ShortForms.set(statement, command, idleMillis)
                        .set("version", version)
                        .query()) {
            return row.next()
                    ? ShortForms.granted(time(session, row), row.getLong("token"), command)
                    : ShortForm.none();
        }
    }

    @Override
    public ShortForm<Reply.Released> release(StoreSession session, Command.Release command, long idleMillis)
            throws SQLException {
        try (NamedSql.Prepared statement = release.on(session.connection);
                ResultSet row = ShortForms.set(statement, command, idleMillis).query()) {
            if (!row.next()) {
                return ShortForm.none();
            }
            if (versions.size() >= MOST_VERSIONS) {
                versions.clear();
            }
            versions.put(command.lock(), row.getLong("version"));
            return ShortForms.released(time(session, row));
        }
    }

    @Override
    public Extended extend(StoreSession session, List<Command.Renew.Item> items, long notAfter, long idleMillis)
            throws SQLException {
        return ShortForms.extendEach(session, items, notAfter, idleMillis);
    }

    private static ServerTime time(StoreSession session, ResultSet row) throws SQLException {
        return session.clock(row).earliest();
    }
}
