package io.boltwork.jdbc;

import io.boltwork.testkit.CallContract;
import io.boltwork.testkit.LockSite;

/** Calls of locks in PostgreSQL keep the contract. */
class PostgresCallContractTest extends CallContract {
    @Override
    protected LockSite site() {
        return PostgresSite.get();
    }
}
