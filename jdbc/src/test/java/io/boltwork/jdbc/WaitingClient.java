// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

import io.boltwork.LockClient;
import org.postgresql.ds.PGSimpleDataSource;

/** A JVM that waits for a lock in PostgreSQL, and is killed meanwhile. Its arguments are the address and the lock. */
final class WaitingClient {
    private WaitingClient() {}

    public static void main(String[] args) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(args[0]);
        try (LockClient client = LockClient.create(JdbcBackend.on(source))) {
            client.lock(args[1]).lock();
        }
    }
}
