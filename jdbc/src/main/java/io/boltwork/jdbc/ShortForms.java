// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

import io.boltwork.spi.Command;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.Reply;
import io.boltwork.spi.ServerTime;
import io.boltwork.store.Extended;
import io.boltwork.store.ShortForm;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The commands that a database executes with fewer statements than a read and a write. They make the same records, and
 * the same answers, as {@link io.boltwork.spi.rules.LockRules}. Thread-safe.
 */
@FunctionalInterface
interface ShortForms {
    /** The difference between the fence and the token of a new hold. */
    int BLOCK = LockBackend.TOKENS_PER_HOLD - 1;

    /** Returns the short forms of a database, for the tables with a prefix. */
    static ShortForms of(StoreDialect dialect, String prefix, RowHints hints) {
        return switch (dialect) {
            case POSTGRESQL -> new PostgresShortForms(prefix, hints);
            case H2 -> new H2ShortForms(prefix);
            case MARIADB -> ShortForms::extendEach; // an UPDATE does not tell what it has written
        };
    }

    /** Returns whether to try {@link #acquire} for a lock. */
    default boolean canAcquire(String lock) {
        return false;
    }

    /** Acquires a free lock, see {@link io.boltwork.store.RecordStore#acquireFree}. */
    default ShortForm<Reply.Acquired> acquire(StoreSession session, Command.Acquire command, long idleMillis)
            throws SQLException {
        return ShortForm.none();
    }

    /** Returns whether there is a short form of {@link #release}. */
    default boolean canRelease() {
        return false;
    }

    /** Releases a lock that no request waits for, see {@link io.boltwork.store.RecordStore#releaseUnwanted}. */
    default ShortForm<Reply.Released> release(StoreSession session, Command.Release command, long idleMillis)
            throws SQLException {
        return ShortForm.none();
    }

    /** Extends leases, see {@link io.boltwork.store.RecordStore#extendUnwanted}. */
    Extended extend(StoreSession session, List<Command.Renew.Item> items, long notAfter, long idleMillis)
            throws SQLException;

    /** Sets the parameters of an acquire. */
    static NamedSql.Prepared set(NamedSql.Prepared statement, Command.Acquire command, long idleMillis)
            throws SQLException {
        return statement
                .set("name", JdbcStore.bytes(command.lock()))
                .set("owner", RecordColumns.owner(command.request()))
                .set("lease", command.leaseMillis() + command.takeoverMillis())
                .set("life", idleMillis)
                .set("block", BLOCK)
                .set("latest", JdbcStore.latestMicros(command.notAfter()));
    }

    /** Sets the parameters of a release. */
    static NamedSql.Prepared set(NamedSql.Prepared statement, Command.Release command, long idleMillis)
            throws SQLException {
        return statement
                .set("name", JdbcStore.bytes(command.lock()))
                .set("owner", RecordColumns.owner(command.request()))
                .set("first", command.firstToken())
                .set("last", command.lastToken())
                .set("life", idleMillis)
                .set("block", BLOCK);
    }

    /** Returns the answer to an acquire by a short form. */
    static ShortForm<Reply.Acquired> granted(ServerTime server, long token, Command.Acquire command) {
        return new ShortForm<>(
                new Reply.Acquired(server, Reply.Verdict.GRANTED, token, 0, 0, false, command.request()), null);
    }

    /** Returns the answer to a release by a short form. */
    static ShortForm<Reply.Released> released(ServerTime server) {
        return new ShortForm<>(new Reply.Released(server, Reply.Release.RELEASED, null, 0, null), null);
    }

    /** Extends leases by one statement each, which some drivers send together. */
    static Extended extendEach(StoreSession session, List<Command.Renew.Item> items, long notAfter, long idleMillis)
            throws SQLException {
        try (NamedSql.Prepared extend = session.sql().extend.on(session.connection)) {
            for (Command.Renew.Item item : items) {
                extend.set("name", JdbcStore.bytes(item.lock()))
                        .set("owner", RecordColumns.owner(item.request()))
                        .set("token", item.firstToken())
                        .set("lease", item.leaseMillis() + item.takeoverMillis())
                        .set("life", idleMillis)
                        .set("latest", JdbcStore.latestMicros(notAfter))
                        .batch();
            }
            int[] counts = extend.updateAll();
            Set<String> extended = new HashSet<>();
            for (int i = 0; i < counts.length; i++) {
                if (counts[i] > 0) {
                    extended.add(items.get(i).lock());
                }
            }
            return extended.isEmpty()
                    ? Extended.NONE
                    : new Extended(extended, session.ask().earliest());
        }
    }
}
