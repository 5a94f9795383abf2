// SPDX-License-Identifier: Apache-2.0
package io.boltwork.etcd;

import io.boltwork.contract.LockSite;
import io.boltwork.contract.lock.OutageContract;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Locks on etcd keep the Outage contract. */
@EnabledIfSystemProperty(named = "boltwork.proof", matches = "true", disabledReason = "minutes: -Dboltwork.proof=true")
class EtcdOutageContractTest extends OutageContract {

    @Override
    protected LockSite site() {
        return EtcdSite.shared();
    }
}
