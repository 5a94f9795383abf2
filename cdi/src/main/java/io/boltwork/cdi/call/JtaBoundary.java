// SPDX-License-Identifier: Apache-2.0
package io.boltwork.cdi.call;

import io.boltwork.LeaseLostException;
import io.boltwork.annotation.acquire.BoundHold;
import io.boltwork.annotation.acquire.TransactionBoundary;
import io.boltwork.annotation.operation.DeclaredLocks;
import io.boltwork.spi.PrintableLog;
import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;
import jakarta.transaction.TransactionSynchronizationRegistry;
import jakarta.transaction.Transactional;
import java.lang.System.Logger.Level;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;

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
        if (known instanceof Holds holds) {
            return holds.add(hold);
        }
        Holds holds = new Holds();
        try {
            registry.registerInterposedSynchronization(holds);
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

    /** The holds of one transaction, which one thread uses at a time. */
    private static final class Holds implements Synchronization {
        private final List<BoundHold> holds = new ArrayList<>();

        boolean add(BoundHold hold) {
            return holds.stream().noneMatch(kept -> kept.includes(hold)) && holds.add(hold);
        }

        @Override
        public void beforeCompletion() {
            holds.forEach(BoundHold::beforeCommit);
        }

        @Override
        public void afterCompletion(int status) {
            for (int i = holds.size() - 1; i >= 0; i--) {
                try {
                    holds.get(i).afterCompletion(status == Status.STATUS_COMMITTED);
                } catch (LeaseLostException lost) { // while the database was committing
                    PrintableLog.LOG.log(Level.ERROR, String.valueOf(lost.getMessage()), lost);
                }
            }
        }
    }
}
