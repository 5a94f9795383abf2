package io.boltwork.jdbc;

import io.boltwork.testkit.LatchContract;
import io.boltwork.testkit.LockSite;

/** Latches in PostgreSQL keep the contract. */
class PostgresLatchContractTest extends LatchContract {
    @Override
    protected LockSite site() {
        return PostgresSite.get();
    }
}
