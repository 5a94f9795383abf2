// SPDX-License-Identifier: Apache-2.0
package io.boltwork.cdi.call;

import io.boltwork.LeaseLostException;
import io.boltwork.annotation.acquire.TransactionBoundary;
import io.boltwork.annotation.call.LeaseCheck;
import io.boltwork.annotation.operation.LockMethod;
import jakarta.interceptor.InvocationContext;
import org.jspecify.annotations.Nullable;

/*
 * The interceptor of the locks is outside of that of transactions, and puts this into the data of the call. A second
 * interceptor, inside of the transaction, registers it. A loss rolls the transaction back, of which the interceptor of
 * transactions tells by an exception of its own. The caller gets the loss instead, as it does from Spring.
 */
/**
 * The check of one call before its own transaction commits.
 *
 * @param transactions those of the application
 * @param leases verifies the leases
 */
public record CommitCheck(JtaBoundary transactions, LeaseCheck leases) {
    private static final String KEY = CommitCheck.class.getName();

    /** Prepares the check for a call whose method may begin a transaction. */
    public static void prepare(LockMethod method, TransactionBoundary transactions, InvocationContext context) {
        LeaseCheck leases = transactions instanceof JtaBoundary ? LeaseCheck.of(method, transactions) : null;
        if (leases != null && transactions instanceof JtaBoundary own) {
            context.getContextData().put(KEY, new CommitCheck(own, leases));
        }
    }

    /** Lets the transaction that the method has begun verify the leases, if there is one. */
    public static void begun(InvocationContext context) {
        if (context.getContextData().get(KEY) instanceof CommitCheck check && check.transactions.isThere()) {
            check.transactions.beforeCommit(check.leases.begun());
        }
    }

    /** Returns the loss that has rolled the transaction back; {@code null} if there was none. */
    static @Nullable LeaseLostException lost(InvocationContext context) {
        return context.getContextData().get(KEY) instanceof CommitCheck check ? check.leases.lost() : null;
    }
}
