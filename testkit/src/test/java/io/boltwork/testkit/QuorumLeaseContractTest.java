package io.boltwork.testkit;

/** Leases of locks on a quorum in memory keep the contract. */
class QuorumLeaseContractTest extends LeaseContract {

    @Override
    protected LockSite site() {
        return new MemoryQuorumSite(3);
    }
}
