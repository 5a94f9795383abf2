// SPDX-License-Identifier: Apache-2.0
package io.boltwork.etcd;

import io.boltwork.contract.LockSite;
import io.boltwork.contract.lock.CallContract;
import io.boltwork.contract.lock.QuickParts;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.ExtendWith;

/** Locks on etcd keep the Call contract. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
@ExtendWith(QuickParts.class)
class EtcdCallContractTest extends CallContract {

    @Override
    protected LockSite site() {
        return EtcdSite.shared();
    }
}
