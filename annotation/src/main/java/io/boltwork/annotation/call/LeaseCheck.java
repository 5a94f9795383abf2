// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation.call;

import io.boltwork.Lease;
import io.boltwork.LeaseLostException;
import io.boltwork.annotation.acquire.BoundHold;
import io.boltwork.annotation.acquire.EnteredLock;
import io.boltwork.annotation.acquire.TransactionBoundary;
import io.boltwork.annotation.operation.LockMethod;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Verifies the leases of one call before the transaction that its method itself has begun commits. */
public final class LeaseCheck {
    private final BoundHold.Source source;

    /** The hold around those of this call. */
    private final @Nullable EnteredLock around = EnteredLock.innermost();

    private volatile @Nullable LeaseLostException lost;

    private LeaseCheck(BoundHold.Source source) {
        this.source = source;
    }

    /** Returns the check of a call; {@code null} if its method cannot begin a transaction, or ignores losses. */
    public static @Nullable LeaseCheck of(LockMethod method, TransactionBoundary transactions) {
        boolean ignored = method.operations().stream().allMatch(each -> each.ignoreLoss());
        return ignored || transactions == TransactionBoundary.NONE || !method.apart() && transactions.isThere()
                ? null
                : new LeaseCheck(new BoundHold.Source(
                        "@DistributedLock on " + method.operations().get(0).where(), false));
    }

    /** Returns the check of the leases that the call has by now. If it throws, the transaction rolls back. */
    public Runnable begun() {
        List<Lease> leases = new ArrayList<>();
        EnteredLock each = EnteredLock.innermost();
        while (each != null && each != around) {
            if (each.current() != null) {
                leases.add(each.current());
            }
            each = each.outer();
        }
        return () -> verify(leases);
    }

    private void verify(List<Lease> leases) {
        try {
            for (Lease lease : leases) {
                if (!lease.verify()) {
                    BoundHold.warn(source, lease);
                }
            }
        } catch (LeaseLostException e) {
            lost = e;
            throw e;
        }
    }

    /** Returns the loss that has rolled the transaction back; {@code null} if there was none. */
    public @Nullable LeaseLostException lost() {
        return lost;
    }
}
