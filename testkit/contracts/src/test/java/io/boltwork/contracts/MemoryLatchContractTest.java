// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contracts;

import io.boltwork.testkit.LatchContract;
import io.boltwork.testkit.LockSite;

/** Latches in memory keep the contract. */
class MemoryLatchContractTest extends LatchContract {

    @Override
    protected LockSite site() {
        return new MemorySite();
    }
}
