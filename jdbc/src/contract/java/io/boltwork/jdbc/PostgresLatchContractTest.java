// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

import io.boltwork.contract.LockSite;
import io.boltwork.contract.latch.LatchContract;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Latches in PostgreSQL keep the contract. */
@EnabledIfSystemProperty(named = "boltwork.proof", matches = "true", disabledReason = "minutes: -Dboltwork.proof=true")
class PostgresLatchContractTest extends LatchContract {
    @Override
    protected LockSite site() {
        return PostgresSite.get();
    }
}
