// SPDX-License-Identifier: Apache-2.0
package io.boltwork.etcd;

import io.boltwork.contract.LockSite;
import io.boltwork.contract.lock.LossContract;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Locks on etcd keep the contract of losses. */
@EnabledIfSystemProperty(named = "boltwork.proof", matches = "true", disabledReason = "minutes: -Dboltwork.proof=true")
class EtcdLossContractTest extends LossContract {

    @Override
    protected LockSite site() {
        return EtcdSite.shared();
    }
}
