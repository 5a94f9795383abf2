// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

import io.boltwork.contract.LockSite;
import io.boltwork.contract.multi.MultiLockContract;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Multi-locks in H2 keep the contract. */
@EnabledIfSystemProperty(named = "boltwork.proof", matches = "true", disabledReason = "minutes: -Dboltwork.proof=true")
class H2MultiLockContractTest extends MultiLockContract {
    private static final LockSite SITE = new H2Site();

    @Override
    protected LockSite site() {
        return SITE;
    }
}
