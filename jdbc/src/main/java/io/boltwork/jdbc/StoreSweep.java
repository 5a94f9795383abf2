// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Deletes rows that are not needed any more. Of all clients of a store, one does so each minute. */
final class StoreSweep {
    /** A little less than a minute, because each client tries once a minute. */
    private static final long PAUSE_MILLIS = TimeUnit.SECONDS.toMillis(50);
    /** Far longer than a client that is alive leaves a message unread, and than a client counts as alive. */
    private static final long AGE_MICROS = TimeUnit.SECONDS.toMicros(60);
    /** Small batches, so that a sweep never occupies a connection for long; the next sweep goes on. */
    private static final int BATCH = 200;

    private static final int MOST_BATCHES = 10;

    private record Row(int kind, byte[] name) {}

    private StoreSweep() {}

    /** Sweeps, unless another client has just done so. Returns whether it did. */
    static boolean sweep(StoreSession session) throws SQLException {
        try (NamedSql.Prepared begin = session.sql().beginSweep.on(session.connection)) {
            if (begin.set("pause", PAUSE_MILLIS).update() == 0) {
                return false;
            }
        }
        for (int i = 0; i < MOST_BATCHES; i++) {
            List<Row> expired = expired(session);
            drop(session, expired);
            if (expired.size() < BATCH) {
                break;
            }
        }
        dropOld(session, session.sql().dropMessages);
        dropOld(session, session.sql().dropClients);
        return true;
    }

    /** Reads without locks, so that rows in use are not locked. */
    private static List<Row> expired(StoreSession session) throws SQLException {
        List<Row> found = new ArrayList<>();
        try (NamedSql.Prepared expired = session.sql().expired.on(session.connection);
                ResultSet row = expired.set("count", BATCH).query()) {
            while (row.next()) {
                found.add(new Row(row.getInt("kind"), row.getBytes("name")));
            }
        }
        return found;
    }

    private static void drop(StoreSession session, List<Row> rows) throws SQLException {
        if (rows.isEmpty()) {
            return;
        }
        try (NamedSql.Prepared drop = session.sql().drop.on(session.connection)) {
            for (Row each : rows) {
                drop.set("kind", each.kind).set("name", each.name).batch();
            }
            drop.updateAll();
        }
    }

    private static void dropOld(StoreSession session, NamedSql old) throws SQLException {
        try (NamedSql.Prepared drop = old.on(session.connection)) {
            drop.set("age", AGE_MICROS).update();
        }
    }
}
