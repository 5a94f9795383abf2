// SPDX-License-Identifier: Apache-2.0
package io.boltwork.testkit.history;

import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LeaseLoss;
import io.boltwork.LeaseLostException;
import io.boltwork.testkit.history.Event.Action;
import io.boltwork.testkit.history.Event.Type;
import java.time.Duration;
import java.util.concurrent.CompletionStage;

/** A lease that records its release, and checks of its validity by its owner. */
final class RecordedLease implements Lease {
    private final Lease lease;
    private final RecordedShare share;
    private final HistoryWriter history;
    private final Thread owner = Thread.currentThread();

    /** Set for a view, too: releasing a view does nothing. */
    private boolean released;

    private final boolean view;

    RecordedLease(Lease lease, RecordedShare share, HistoryWriter history, boolean view) {
        this.lease = lease;
        this.share = share;
        this.history = history;
        this.view = view;
    }

    private void write(Action action, Type type) {
        history.write(action, type, lease.lockName(), lease.fencingToken(), share);
    }

    /** Records a check. The time is that before the check: if the hold is valid afterwards, it was valid then. */
    private void checked(long before, boolean valid) {
        if (!released && Thread.currentThread() == owner) {
            history.write(
                    before, Action.CHECK, valid ? Type.OK : Type.FAIL, lease.lockName(), lease.fencingToken(), share);
        }
    }

    @Override
    public String lockName() {
        return lease.lockName();
    }

    @Override
    public long fencingToken() {
        return lease.fencingToken();
    }

    @Override
    public Lease of(FencedLock lock) {
        lease.of(lock);
        return this;
    }

    @Override
    public Duration remaining() {
        long before = System.nanoTime();
        Duration remaining = lease.remaining();
        checked(before, !remaining.isZero());
        return remaining;
    }

    @Override
    public boolean isValid() {
        long before = System.nanoTime();
        boolean valid = lease.isValid();
        checked(before, valid);
        return valid;
    }

    @Override
    public void ensureValid() {
        long before = System.nanoTime();
        try {
            lease.ensureValid();
        } catch (LeaseLostException e) {
            checked(before, false);
            throw e;
        }
        checked(before, true);
    }

    @Override
    public void extend(Duration atLeast) {
        lease.extend(atLeast);
    }

    @Override
    public boolean verify() {
        return lease.verify();
    }

    @Override
    public CompletionStage<LeaseLoss> whenLost() {
        return lease.whenLost();
    }

    @Override
    public void release() {
        if (released || view) {
            lease.release();
            return;
        }
        released = true;
        write(Action.RELEASE, Type.INVOKE);
        try {
            lease.release();
        } catch (LeaseLostException e) {
            write(Action.RELEASE, Type.FAIL);
            throw e;
        } catch (Throwable e) {
            write(Action.RELEASE, Type.UNKNOWN);
            throw e;
        }
        write(Action.RELEASE, Type.OK);
    }

    @Override
    public CompletionStage<Void> releaseAsync() {
        throw RecordedLock.notRecorded();
    }

    @Override
    public String toString() {
        return lease.toString();
    }
}
