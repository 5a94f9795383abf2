// SPDX-License-Identifier: Apache-2.0
package io.boltwork.machine.request;

import java.util.Collection;
import java.util.concurrent.TimeUnit;

/**
 * Counts what one lock is used for in this client. Begins with the first turn that ends, or the first caller that finds
 * the lock taken, so a lock that is only held costs no object. Belongs to the lock's machine.
 */
public final class LockUse {

    /** The time between two reports of a lock in use. */
    private static final long EVERY = TimeUnit.SECONDS.toNanos(1);

    private int turns;
    private long waited;
    private long held;

    /** The time up to which the holds that go on have been counted. */
    private long countedUntil;

    private long reportAt;

    /** Begins to count. The first report is due at once. */
    public LockUse(long now, long waited) {
        this.waited = waited;
        this.countedUntil = Long.MIN_VALUE;
        this.reportAt = now;
    }

    /** Counts a turn that ends now. */
    public void ended(Hold hold, long now) {
        turns++;
        hold(hold, now);
    }

    /** Counts a wait that has ended. */
    public void waited(long nanos) {
        waited += nanos;
    }

    private void hold(Hold hold, long now) {
        held += Math.max(0, now - Math.max(hold.since, countedUntil));
    }

    /** Counts holds that go on, until now. */
    public void goOn(Collection<Hold> owners, long now) {
        for (Hold owner : owners) {
            hold(owner, now);
        }
        countedUntil = now;
    }

    /** Returns whether a report is due. */
    public boolean isDue(long now) {
        return now >= reportAt;
    }

    /** Returns whether there is anything to report. */
    public boolean hasCounted() {
        return turns != 0 || waited != 0 || held != 0;
    }

    /** Returns how many turns have ended since the last report. */
    public int turns() {
        return turns;
    }

    /** Returns how long callers have waited whose waits have ended since the last report, in nanoseconds. */
    public long waitedNanos() {
        return waited;
    }

    /** Returns for how long the lock was held since the last report, in nanoseconds. */
    public long heldNanos() {
        return held;
    }

    /** Begins anew, because all of this was reported. */
    public void reported(long now) {
        turns = 0;
        waited = 0;
        held = 0;
        reportAt = now + EVERY;
    }
}
