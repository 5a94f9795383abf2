package io.boltwork.jdbc;

import io.boltwork.testkit.ConditionContract;
import io.boltwork.testkit.LockSite;

/** Conditions in PostgreSQL keep the contract. */
class PostgresConditionContractTest extends ConditionContract {
    @Override
    protected LockSite site() {
        return PostgresSite.get();
    }
}
