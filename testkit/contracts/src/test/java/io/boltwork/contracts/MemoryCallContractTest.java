// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contracts;

import io.boltwork.testkit.CallContract;
import io.boltwork.testkit.LockSite;

/** Calls of locks in memory keep the contract. */
class MemoryCallContractTest extends CallContract {

    @Override
    protected LockSite site() {
        return new MemorySite();
    }
}
