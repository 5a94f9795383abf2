// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract.readwrite;

import io.boltwork.FencedReadWriteLock;
import io.boltwork.LockKind;
import io.boltwork.LockOptions;
import io.boltwork.contract.LockSite;
import io.boltwork.contract.part.ContractPart;
import io.boltwork.spi.QueryReply;
import io.boltwork.testkit.wait.Await;

/** The lock under test of the contract of read-write locks, and its state at the server. */
abstract class ReadWriteContractPart extends ContractPart {

    static final LockOptions SHORT = LockOptions.defaults().withRenewedLease(RENEWED);
    static final LockOptions ENDS = LockOptions.defaults().withFixedLease(FIXED);
    static final LockOptions FIFO = LockOptions.defaults().withFairness(LockOptions.Fairness.FIFO);

    ReadWriteContractPart(LockSite site) {
        super(site);
    }

    /** Returns the lock under test, from a new client. */
    final FencedReadWriteLock both() {
        return party().client().readWriteLock(name);
    }

    /** Returns the lock under test with some options, from a new client. */
    final FencedReadWriteLock both(LockOptions options) {
        return party().client().readWriteLock(name, options);
    }

    final QueryReply.Inspected atServer() {
        return inspect(LockKind.READ_WRITE, name);
    }

    final void awaitWaiting(int requests) {
        Await.until(requests + " requests wait", () -> atServer().queue().size() == requests);
    }

    final void awaitHolders(int requests) {
        Await.until(requests + " requests hold", () -> atServer().holders().size() == requests);
    }
}
