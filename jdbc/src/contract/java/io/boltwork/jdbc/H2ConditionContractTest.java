// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

import io.boltwork.contract.LockSite;
import io.boltwork.contract.condition.ConditionContract;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Conditions in H2 keep the contract. */
@EnabledIfSystemProperty(named = "boltwork.proof", matches = "true", disabledReason = "minutes: -Dboltwork.proof=true")
class H2ConditionContractTest extends ConditionContract {
    private static final LockSite SITE = new H2Site();

    @Override
    protected LockSite site() {
        return SITE;
    }
}
