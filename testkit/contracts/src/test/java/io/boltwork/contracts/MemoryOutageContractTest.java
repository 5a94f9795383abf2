// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contracts;

import io.boltwork.testkit.LockSite;
import io.boltwork.testkit.OutageContract;

/** Locks in memory keep the contract during outages. */
class MemoryOutageContractTest extends OutageContract {

    @Override
    protected LockSite site() {
        return new MemorySite();
    }
}
