// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

import io.boltwork.contract.LockSite;
import io.boltwork.contract.lock.LossContract;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Locks in H2 keep the contract of losses. */
@EnabledIfSystemProperty(named = "boltwork.proof", matches = "true", disabledReason = "minutes: -Dboltwork.proof=true")
class H2LossContractTest extends LossContract {
    private static final LockSite SITE = new H2Site();

    @Override
    protected LockSite site() {
        return SITE;
    }
}
