// SPDX-License-Identifier: Apache-2.0
package io.boltwork.cdi.bean;

import io.boltwork.annotation.acquire.TransactionBoundary;
import io.boltwork.cdi.call.JtaBoundary;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.transaction.TransactionSynchronizationRegistry;
import javax.naming.InitialContext;
import javax.naming.NamingException;

/** Finds the transactions of an application with the API of Jakarta Transactions. */
@Singleton
public class JtaTransactions implements LockCalls.Transactions {
    private static final String JNDI = "java:comp/TransactionSynchronizationRegistry";

    private final Instance<TransactionSynchronizationRegistry> beans;

    @Inject
    JtaTransactions(Instance<TransactionSynchronizationRegistry> beans) {
        this.beans = beans;
    }

    /** Looks for a bean, as in Quarkus, then for the name that servers have for it. */
    @Override
    @SuppressWarnings("BanJNDI") // the name is a constant of the specification
    public TransactionBoundary find() {
        if (beans.isResolvable()) {
            return new JtaBoundary(beans.get());
        }
        try {
            return InitialContext.doLookup(JNDI) instanceof TransactionSynchronizationRegistry registry
                    ? new JtaBoundary(registry)
                    : TransactionBoundary.NONE;
        } catch (NamingException none) {
            return TransactionBoundary.NONE;
        }
    }
}
