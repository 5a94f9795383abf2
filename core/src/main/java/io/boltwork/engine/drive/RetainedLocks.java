// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.drive;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The locks that a client retains. Lets locks be given back that were not used lately when there are too many, by the
 * second chance algorithm: Corbató, A Paging Experiment with the Multics System, 1968. Thread-safe.
 */
public final class RetainedLocks {

    /**
     * The most locks that one client retains, unless all of them are in use. Each costs a renewal every third of its
     * lease.
     */
    public static final int MOST = 10_000;

    /** The number of locks that one more makes this look at. More than one, so that their number falls again. */
    private static final int LOOKS = 8;

    /** A lock that is retained, or was. */
    interface Retained {
        /** Gives the lock back, or {@linkplain RetainedLocks#keep keeps} it if it was used since the last look. */
        void giveBackUnlessUsed();
    }

    private final Queue<Retained> queue = new ConcurrentLinkedQueue<>();
    private final AtomicInteger size = new AtomicInteger();
    private final AtomicLong lost = new AtomicLong();
    private final int most;

    RetainedLocks(int most) {
        this.most = most;
    }

    /** Adds a lock that is not among them. */
    void add(Retained lock) {
        keep(lock);
        for (int i = 0; i < LOOKS && size.get() > most; i++) {
            Retained first = queue.poll();
            if (first != null) {
                size.decrementAndGet();
                first.giveBackUnlessUsed();
            }
        }
    }

    /** Adds a lock again that has been looked at. */
    void keep(Retained lock) {
        queue.add(lock);
        size.incrementAndGet();
    }

    /** Counts a lease that was lost while it was retained. */
    void lost() {
        lost.incrementAndGet();
    }

    /** Returns how many leases were lost while they were retained. */
    public long countLost() {
        return lost.get();
    }
}
