// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

import io.boltwork.contract.LockSite;
import io.boltwork.contract.multi.MultiLockContract;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Multi-locks in MariaDB keep the contract. */
@EnabledIfSystemProperty(named = "boltwork.proof", matches = "true", disabledReason = "minutes: -Dboltwork.proof=true")
class MariaDbMultiLockContractTest extends MultiLockContract {
    @Override
    protected LockSite site() {
        return MariaDbSite.get();
    }
}
