// SPDX-License-Identifier: Apache-2.0
package io.boltwork.cdi.call;

import io.boltwork.annotation.acquire.BoundHold;
import io.boltwork.annotation.acquire.BoundHolds;
import io.boltwork.annotation.acquire.TransactionBoundary;
import io.boltwork.annotation.operation.DeclaredLocks;
import io.boltwork.spi.PrintableLog;
import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;
import jakarta.transaction.TransactionSynchronizationRegistry;
import jakarta.transaction.Transactional;
import java.lang.System.Logger.Level;
import java.lang.reflect.Method;

/**
 * Transactions of Jakarta. The synchronization is an interposed one, which runs after those of the application and of
 * persistence, so that all data has been flushed.
 */
public final class JtaBoundary implements TransactionBoundary {
    private static final Object KEY = JtaBoundary.class;

    private final TransactionSynchronizationRegistry registry;

    public JtaBoundary(TransactionSynchronizationRegistry registry) {
        this.registry = registry;
    }

    @Override
    public boolean isLeftAside(Method method, Class<?> targetClass) {
        Transactional own = DeclaredLocks.find(Transactional.class, method, targetClass);
        return own != null
                && switch (own.value()) {
                    case REQUIRES_NEW, NOT_SUPPORTED, NEVER -> true;
                    case REQUIRED, MANDATORY, SUPPORTS -> false;
                };
    }

    @Override
    public boolean isThere() {
        int status = registry.getTransactionStatus();
        return status == Status.STATUS_ACTIVE || status == Status.STATUS_MARKED_ROLLBACK;
    }

    @Override
    public boolean register(BoundHold hold) {
        Object known = registry.getResource(KEY);
        if (known instanceof BoundHolds holds) {
            return holds.add(hold);
        }
        BoundHolds holds = new BoundHolds();
        try {
            registry.registerInterposedSynchronization(new Kept(holds));
            registry.putResource(KEY, holds);
        } catch (IllegalStateException ended) { // in the meantime, as by a timeout
            return false;
        }
        return holds.add(hold);
    }

    /** Lets the transaction of this thread run an action before it commits. If that throws, it rolls back. */
    void beforeCommit(Runnable action) {
        registry.registerInterposedSynchronization(new Synchronization() {
            @Override
            public void beforeCompletion() {
                action.run();
            }

            @Override
            public void afterCompletion(int status) {}
        });
    }

    /**
     * The synchronization of one transaction.
     *
     * @param holds what it keeps
     */
    private record Kept(BoundHolds holds) implements Synchronization {
        @Override
        public void beforeCompletion() {
            holds.beforeCommit();
        }

        @Override
        public void afterCompletion(int status) {
            holds.afterCompletion(
                    status == Status.STATUS_COMMITTED,
                    lost -> PrintableLog.LOG.log(Level.ERROR, String.valueOf(lost.getMessage()), lost));
        }
    }
}
