// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

import io.boltwork.contract.LockSite;
import io.boltwork.contract.readwrite.ReadWriteLockContract;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Read-write locks in MariaDB keep the contract. */
@EnabledIfSystemProperty(named = "boltwork.proof", matches = "true", disabledReason = "minutes: -Dboltwork.proof=true")
class MariaDbReadWriteLockContractTest extends ReadWriteLockContract {
    @Override
    protected LockSite site() {
        return MariaDbSite.get();
    }
}
