// SPDX-License-Identifier: Apache-2.0
package io.boltwork.etcd;

import io.boltwork.contract.LockSite;
import io.boltwork.contract.multi.MultiLockContract;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Locks on etcd keep the MultiLock contract. */
@EnabledIfSystemProperty(named = "boltwork.proof", matches = "true", disabledReason = "minutes: -Dboltwork.proof=true")
class EtcdMultiLockContractTest extends MultiLockContract {

    @Override
    protected LockSite site() {
        return EtcdSite.shared();
    }
}
