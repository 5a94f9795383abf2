package io.boltwork.engine;

import io.boltwork.machine.RecoveryTally;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/** Which partitions of the backend cannot be reached, since when, and how they come back. Thread-safe. */
final class PartitionOutages {

    private final ReentrantLock lock = new ReentrantLock();
    private final List<Downtime> partitionOutages = new ArrayList<>();

    /** From the loss of a connection until all that it led to can be reached again. */
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
     * Some of what a connection had led to can be reached again.
     *
     * @param since when it was lost
     * @param recovery what became of the holds and waiters there
     * @param another whether any of it is at another server now
     * @param over whether that was the last of it
     */
    record Return(long since, RecoveryTally recovery, boolean another, boolean over) {}

    /**
     * Partitions cannot be reached any more.
     *
     * @param recovery counts what will become of the holds and waiters there; to be told when it is over
     * @return whether any of them could until now
     */
    boolean begin(BitSet partitions, long now, RecoveryTally recovery) {
        lock.lock();
        try {
            BitSet left = (BitSet) partitions.clone();
            partitionOutages.forEach(known -> left.andNot(known.left));
            return !left.isEmpty() && partitionOutages.add(new Downtime(now, recovery, left));
        } finally {
            lock.unlock();
        }
    }

    /** Partitions can be reached, by a connection to the server as before or {@code another}. */
    List<Return> end(BitSet partitions, boolean another) {
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

    /** Whether everything can be reached. */
    boolean isNone() {
        lock.lock();
        try {
            return partitionOutages.isEmpty();
        } finally {
            lock.unlock();
        }
    }
}
