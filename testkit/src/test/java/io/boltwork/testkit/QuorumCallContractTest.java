// SPDX-License-Identifier: Apache-2.0
package io.boltwork.testkit;

/** Calls of locks on a quorum in memory keep the contract. */
class QuorumCallContractTest extends CallContract {

    @Override
    protected LockSite site() {
        return new MemoryQuorumSite(3);
    }
}
