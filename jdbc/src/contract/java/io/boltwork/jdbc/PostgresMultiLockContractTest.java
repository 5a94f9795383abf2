// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

import io.boltwork.contract.LockSite;
import io.boltwork.contract.multi.MultiLockContract;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Multi-locks in PostgreSQL keep the contract. */
@EnabledIfSystemProperty(named = "boltwork.proof", matches = "true", disabledReason = "minutes: -Dboltwork.proof=true")
class PostgresMultiLockContractTest extends MultiLockContract {
    @Override
    protected LockSite site() {
        return PostgresSite.get();
    }
}
