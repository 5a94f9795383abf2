// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation.acquire;

import static io.boltwork.spi.PrintableLog.LOG;

import io.boltwork.Lease;
import io.boltwork.LeaseLostException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A hold that a transaction may release.
 *
 * @param target the lock
 * @param lease its handle, which any thread may release
 * @param source the code that acquired the lock
 * @param later work that must end before the release; {@code null} if there is none
 */
public record BoundHold(
        LockTarget target,
        Lease lease,
        Source source,
        @Nullable CompletionStage<?> later) {

    /**
     * The code that acquired a lock.
     *
     * @param name what it is called in messages
     * @param ignoreLoss whether it ignores the loss of the lease
     */
    public record Source(String name, boolean ignoreLoss) {}

    /** Returns whether a transaction that keeps this hold need not keep the other one. */
    public boolean includes(BoundHold other) {
        return later == null
                && other.later == null
                && target.equals(other.target)
                && source.ignoreLoss() == other.source.ignoreLoss();
    }

    /**
     * Asks the backend before the commit, because a lease that was taken away a moment ago is still valid by the clock.
     *
     * @throws LeaseLostException if the lease has been lost, so that the transaction must be rolled back
     */
    public void beforeCommit() {
        if (!source.ignoreLoss() && !lease.verify()) {
            warn(source, lease);
        }
    }

    /** Logs that a transaction commits without an answer from the backend. */
    public static void warn(Source source, Lease lease) {
        LOG.log(
                System.Logger.Level.WARNING,
                "{0}: the backend did not confirm that the lease of ''{1}'' still exists. The transaction commits"
                        + " anyway, because the lease is valid by the clock",
                source.name(),
                lease.lockName());
    }

    /**
     * Releases the hold after the transaction has completed.
     *
     * @throws LeaseLostException if the lease was lost while the database was committing; the framework logs it
     */
    public void afterCompletion(boolean committed) {
        if (later != null) {
            later.whenComplete((value, failure) -> lease.releaseAsync());
            return;
        }
        try {
            lease.release();
        } catch (LeaseLostException lost) {
            if (committed && !source.ignoreLoss()) {
                throw lost;
            }
        }
    }
}
