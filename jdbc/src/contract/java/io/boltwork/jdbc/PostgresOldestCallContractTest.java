// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

import io.boltwork.contract.LockSite;
import io.boltwork.contract.lock.CallContract;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Calls of locks in the oldest PostgreSQL keep the contract. */
@EnabledIfSystemProperty(named = "boltwork.proof", matches = "true", disabledReason = "minutes: -Dboltwork.proof=true")
class PostgresOldestCallContractTest extends CallContract {
    @Override
    protected LockSite site() {
        return PostgresVersion.OLDEST.site();
    }
}
