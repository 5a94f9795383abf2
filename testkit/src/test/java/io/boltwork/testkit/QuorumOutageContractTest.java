package io.boltwork.testkit;

/** Outages of locks on a quorum in memory keep the contract. */
class QuorumOutageContractTest extends OutageContract {

    @Override
    protected LockSite site() {
        return new MemoryQuorumSite(3);
    }
}
