// SPDX-License-Identifier: Apache-2.0
/**
 * Locks in a database: PostgreSQL, MariaDB, MySQL or H2. {@link io.boltwork.jdbc.JdbcBackend} is the entry.
 *
 * <p>The locks are rows of a table that the backend makes by itself. Each command of a client is one or two statements
 * in auto-commit mode, on connections that belong to the backend. No transaction and no row lock outlasts a statement.
 */
@NullMarked
package io.boltwork.jdbc;

import org.jspecify.annotations.NullMarked;
