// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

import io.boltwork.contract.LockSite;
import io.boltwork.contract.readwrite.ReadWriteLockContract;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Read-write locks in PostgreSQL keep the contract. */
@EnabledIfSystemProperty(named = "boltwork.proof", matches = "true", disabledReason = "minutes: -Dboltwork.proof=true")
class PostgresReadWriteLockContractTest extends ReadWriteLockContract {
    @Override
    protected LockSite site() {
        return PostgresSite.get();
    }
}
