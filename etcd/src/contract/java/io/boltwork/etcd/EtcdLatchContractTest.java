// SPDX-License-Identifier: Apache-2.0
package io.boltwork.etcd;

import io.boltwork.contract.LockSite;
import io.boltwork.contract.latch.LatchContract;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Locks on etcd keep the Latch contract. */
@EnabledIfSystemProperty(named = "boltwork.proof", matches = "true", disabledReason = "minutes: -Dboltwork.proof=true")
class EtcdLatchContractTest extends LatchContract {

    @Override
    protected LockSite site() {
        return EtcdSite.shared();
    }
}
