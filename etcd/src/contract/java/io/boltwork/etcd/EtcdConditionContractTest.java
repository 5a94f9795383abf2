// SPDX-License-Identifier: Apache-2.0
package io.boltwork.etcd;

import io.boltwork.contract.LockSite;
import io.boltwork.contract.condition.ConditionContract;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Locks on etcd keep the Condition contract. */
@EnabledIfSystemProperty(named = "boltwork.proof", matches = "true", disabledReason = "minutes: -Dboltwork.proof=true")
class EtcdConditionContractTest extends ConditionContract {

    @Override
    protected LockSite site() {
        return EtcdSite.shared();
    }
}
