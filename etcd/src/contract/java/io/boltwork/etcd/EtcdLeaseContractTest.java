// SPDX-License-Identifier: Apache-2.0
package io.boltwork.etcd;

import io.boltwork.contract.LockSite;
import io.boltwork.contract.lock.LeaseContract;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Leases of locks on etcd keep the contract. */
@EnabledIfSystemProperty(named = "boltwork.proof", matches = "true", disabledReason = "minutes: -Dboltwork.proof=true")
class EtcdLeaseContractTest extends LeaseContract {

    @Override
    protected LockSite site() {
        return EtcdSite.shared();
    }
}
