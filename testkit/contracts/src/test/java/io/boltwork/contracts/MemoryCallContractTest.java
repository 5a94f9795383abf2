// SPDX-License-Identifier: Apache-2.0
package io.boltwork.testkit;

/** Calls of locks in memory keep the contract. */
class MemoryCallContractTest extends CallContract {

    @Override
    protected LockSite site() {
        return new MemorySite();
    }
}
