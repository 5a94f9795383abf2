// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

import java.sql.SQLException;

/** Executes statements of one session. */
interface SqlCall<T> {
    T on(StoreSession session) throws SQLException;
}
