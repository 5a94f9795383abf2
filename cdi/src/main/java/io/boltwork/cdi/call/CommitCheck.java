// SPDX-License-Identifier: Apache-2.0
package io.boltwork.cdi.call;

import io.boltwork.Lease;
import io.boltwork.LeaseLostException;
import io.boltwork.annotation.acquire.BoundHold;
import io.boltwork.annotation.acquire.EnteredLock;
import io.boltwork.annotation.acquire.TransactionBoundary;
import io.boltwork.annotation.operation.LockMethod;
import jakarta.interceptor.InvocationContext;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/*
 * The interceptor of the locks is outside of that of transactions, and puts this into the data of the call. A second
 * interceptor, inside of the transaction, registers it. A loss rolls the transaction back, of which the interceptor of
 * transactions tells by an exception of its own. The caller gets the loss instead, as it does from Spring.
 */
/** Verifies the leases of one call before the transaction that the method itself has begun commits. */
public final class CommitCheck {
    private static final String KEY = CommitCheck.class.getName();

    private final JtaBoundary transactions;
    private final BoundHold.Source source;

    /** The hold around those of this call. */
    private final @Nullable EnteredLock around = EnteredLock.innermost();

    private volatile @Nullable LeaseLostException lost;

    private CommitCheck(JtaBoundary transactions, BoundHold.Source source) {
        this.transactions = transactions;
        this.source = source;
    }

    /** Prepares the check for a call whose method may begin a transaction. */
    public static void prepare(LockMethod method, TransactionBoundary transactions, InvocationContext context) {
        boolean ignored = method.operations().stream().allMatch(each -> each.ignoreLoss());
        if (!ignored && transactions instanceof JtaBoundary own && (method.apart() || !own.isThere())) {
            context.getContextData()
                    .put(
                            KEY,
                            new CommitCheck(
                                    own,
                                    new BoundHold.Source(
                                            "@DistributedLock on "
                                                    + method.operations().get(0).where(),
                                            false)));
        }
    }

    /** Lets the transaction that the method has begun verify the leases, if there is one. */
    public static void begun(InvocationContext context) {
        if (context.getContextData().get(KEY) instanceof CommitCheck check && check.transactions.isThere()) {
            List<Lease> leases = new ArrayList<>();
            EnteredLock each = EnteredLock.innermost();
            while (each != null && each != check.around) {
                if (each.current() != null) {
                    leases.add(each.current());
                }
                each = each.outer();
            }
            check.transactions.beforeCommit(() -> check.verify(leases));
        }
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
    static @Nullable LeaseLostException lost(InvocationContext context) {
        return context.getContextData().get(KEY) instanceof CommitCheck check ? check.lost : null;
    }
}
