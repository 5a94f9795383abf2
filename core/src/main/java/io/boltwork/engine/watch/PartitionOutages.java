// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.watch;

import io.boltwork.machine.request.RecoveryTally;
import io.boltwork.machine.request.Ticker;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/** The partitions of the backend that cannot be reached, and since when. Thread-safe. */
final class PartitionOutages {

    private final ReentrantLock lock = new ReentrantLock();
    private final List<Downtime> partitionOutages = new ArrayList<>();

    /** An outage: from the loss of a connection until all of its partitions can be reached again. */
    private static final class Downtime {
        final long since;
        final RecoveryTally recovery;
        final BitSet left;
        boolean another;

        Downtime(long since, RecoveryTally recovery, BitSet left) {
            this.since = since;
            this.recovery = recovery;
            this.left = left;
        }
    }

    /**
     * The return of some partitions of an outage.
     *
     * @param since the time at which the connection was lost
     * @param recovery counts the fates of the holds and waiters of these partitions
     * @param another whether any partition of the outage is on another server now
     * @param over whether all partitions of the outage are back
     */
    record Return(long since, RecoveryTally recovery, boolean another, boolean over) {}

    /**
     * Begins an outage of partitions.
     *
     * @param recovery counts the fates of the holds and waiters of these partitions
     * @return whether any of these partitions could be reached until now
     */
    boolean addOutage(BitSet partitions, long now, RecoveryTally recovery) {
        lock.lock();
        try {
            BitSet left = (BitSet) partitions.clone();
            partitionOutages.forEach(known -> left.andNot(known.left));
            return !left.isEmpty() && partitionOutages.add(new Downtime(now, recovery, left));
        } finally {
            lock.unlock();
        }
    }

    /** Ends the outages of partitions. They are on the same server as before, or on {@code another} one. */
    List<Return> removeOutages(BitSet partitions, boolean another) {
        List<Return> returns = new ArrayList<>(1);
        lock.lock();
        try {
            for (Iterator<Downtime> all = partitionOutages.iterator(); all.hasNext(); ) {
                Downtime downtime = all.next();
                if (downtime.left.intersects(partitions)) {
                    downtime.left.andNot(partitions);
                    downtime.another |= another;
                    boolean over = downtime.left.isEmpty();
                    if (over) {
                        all.remove();
                    }
                    returns.add(new Return(downtime.since, downtime.recovery, downtime.another, over));
                }
            }
        } finally {
            lock.unlock();
        }
        return returns;
    }

    /** Returns the time since which some partition cannot be reached; {@link Ticker#NEVER} if all can be reached. */
    long since() {
        lock.lock();
        try {
            return partitionOutages.isEmpty() ? Ticker.NEVER : partitionOutages.get(0).since; // the oldest
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether all partitions can be reached. */
    boolean isNone() {
        lock.lock();
        try {
            return partitionOutages.isEmpty();
        } finally {
            lock.unlock();
        }
    }
}
