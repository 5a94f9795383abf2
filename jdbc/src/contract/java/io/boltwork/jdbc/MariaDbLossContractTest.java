// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

import io.boltwork.contract.LockSite;
import io.boltwork.contract.lock.LossContract;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Locks in MariaDB keep the contract of losses. */
@EnabledIfSystemProperty(named = "boltwork.proof", matches = "true", disabledReason = "minutes: -Dboltwork.proof=true")
class MariaDbLossContractTest extends LossContract {
    @Override
    protected LockSite site() {
        return MariaDbSite.get();
    }
}
