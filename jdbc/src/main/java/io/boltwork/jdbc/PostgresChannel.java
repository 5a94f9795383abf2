// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HexFormat;
import java.util.Locale;

/**
 * The channel by which other clients reach a client in PostgreSQL.
 *
 * @param name the channel for its messages: an identifier that needs no quotes and is no longer than 63 bytes
 * @param key the key of the advisory lock that it holds while it listens
 */
record PostgresChannel(String name, long key) {
    /** The beginning of the messages that a client sends to itself. */
    static final String PROBE = "probe ";

    static final String NOTIFY = "SELECT pg_notify(:channel, :message)";

    /** Returns whether a client listens, and whether it asks for its messages instead. */
    static final String LISTENS = """
            SELECT EXISTS (
                SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 1
                    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
                    AND CAST(classid AS BIGINT) = :high AND CAST(objid AS BIGINT) = :low) AS listens,
                EXISTS (SELECT 1 FROM {client} WHERE client = :client AND seen_at > {clock} - :life) AS asks""";

    /** 128 bits, so that no two clients share a channel. */
    private static final int NAME_BYTES = 16;

    private static final long LOW = 0xffff_ffffL;

    /** Returns the channel of a client of the tables with a prefix. */
    static PostgresChannel of(String prefix, String client) {
        String text = "boltwork " + prefix.toLowerCase(Locale.ROOT) + " " + client;
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return new PostgresChannel(
                    "boltwork_" + HexFormat.of().formatHex(digest, 0, NAME_BYTES),
                    ByteBuffer.wrap(digest).getLong(NAME_BYTES));
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** Sends a notification. */
    boolean notify(StoreSession session, String message) throws SQLException {
        try (NamedSql.Prepared notify = session.sql().notify.on(session.connection);
                ResultSet sent =
                        notify.set("channel", name).set("message", message).query()) {
            return sent.next();
        }
    }

    /** Returns the first half of the key, as {@code pg_locks} shows it. */
    long high() {
        return key >>> Integer.SIZE;
    }

    /** Returns the second half of the key. */
    long low() {
        return key & LOW;
    }
}
