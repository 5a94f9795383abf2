// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

import java.sql.SQLException;
import java.util.function.Consumer;

/**
 * The way by which messages come to a client: the database sends them, or the client asks for them. Used by one thread.
 */
interface Messages {
    /** Begins to receive the messages for a client. */
    void begin(StoreSession session, String client) throws SQLException;

    /** Waits a short time for messages. */
    void receive(StoreSession session, Consumer<String> listener) throws SQLException;

    /** Ends it, so that nothing of it remains with the connection. */
    void end(StoreSession session) throws SQLException;
}
