// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import io.boltwork.Lease;
import io.boltwork.LockClient;
import java.util.Optional;
import java.util.concurrent.Semaphore;

/** The jobs of one node, which leaves the other nodes their share. */
final class SpreadJobs {
    private final LockClient locks;
    private final Semaphore places;

    /** Creates a node that runs a number of jobs at the same time, at most. */
    SpreadJobs(LockClient locks, int places) {
        this.locks = locks;
        this.places = new Semaphore(places);
    }

    /** Runs a job unless another node runs it, or this node has no place left. Returns whether it has run. */
    // @start region="spread"
    boolean runHere(String job, Runnable work) {
        if (!places.tryAcquire()) { // a java.util.concurrent.Semaphore of this node
            return false; // a node with a free place takes the job
        }
        try {
            Optional<Lease> turn = locks.lock("job:" + job).tryAcquire();
            turn.ifPresent(lease -> {
                try (lease) {
                    work.run();
                }
            });
            return turn.isPresent();
        } finally {
            places.release();
        }
    }
    // @end
}
