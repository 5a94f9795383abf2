// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

import io.boltwork.contract.LockSite;
import io.boltwork.contract.lock.CallContract;
import io.boltwork.contract.lock.QuickParts;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.ExtendWith;

/** Calls of locks in H2 keep the contract. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
@ExtendWith(QuickParts.class)
class H2CallContractTest extends CallContract {
    private static final LockSite SITE = new H2Site();

    @Override
    protected LockSite site() {
        return SITE;
    }
}
