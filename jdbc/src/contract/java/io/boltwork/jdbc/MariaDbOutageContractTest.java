// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

import io.boltwork.contract.LockSite;
import io.boltwork.contract.lock.OutageContract;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Locks in outages of MariaDB keep the contract. */
@EnabledIfSystemProperty(named = "boltwork.proof", matches = "true", disabledReason = "minutes: -Dboltwork.proof=true")
class MariaDbOutageContractTest extends OutageContract {
    @Override
    protected LockSite site() {
        return MariaDbSite.get();
    }
}
