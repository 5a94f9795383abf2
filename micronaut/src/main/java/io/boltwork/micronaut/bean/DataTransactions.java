// SPDX-License-Identifier: Apache-2.0
package io.boltwork.micronaut.bean;

import io.boltwork.annotation.acquire.BoundHold;
import io.boltwork.annotation.acquire.BoundHolds;
import io.boltwork.annotation.acquire.TransactionBoundary;
import io.boltwork.annotation.operation.DeclaredLocks;
import io.boltwork.spi.PrintableLog;
import io.micronaut.context.BeanContext;
import io.micronaut.context.annotation.Requires;
import io.micronaut.core.util.SupplierUtil;
import io.micronaut.transaction.TransactionOperations;
import io.micronaut.transaction.TransactionStatus;
import io.micronaut.transaction.annotation.Transactional;
import io.micronaut.transaction.support.TransactionSynchronization;
import jakarta.inject.Singleton;
import java.lang.System.Logger.Level;
import java.lang.reflect.Method;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** The transactions of Micronaut Data, if the application has them. Thread-safe. */
@Singleton
@Requires(classes = TransactionOperations.class)
final class DataTransactions implements TransactionBoundary {
    private static final Set<String> APART = Set.of("REQUIRES_NEW", "NOT_SUPPORTED", "NEVER");

    /** One for each data source; looked up at the first call, because this creates the data sources. */
    private final Supplier<List<TransactionOperations<?>>> operations;

    /** The holds that transactions keep, by their connections. */
    private final Map<Object, BoundHolds> kept = Collections.synchronizedMap(new IdentityHashMap<>());

    DataTransactions(BeanContext beans) {
        this.operations = SupplierUtil.memoized(() -> beans.getBeansOfType(TransactionOperations.class).stream()
                .<TransactionOperations<?>>map(each -> each)
                .toList());
    }

    @Override
    public boolean isLeftAside(Method method, Class<?> targetClass) {
        Transactional own = DeclaredLocks.find(Transactional.class, method, targetClass);
        if (own != null) {
            return APART.contains(own.propagation().name());
        }
        jakarta.transaction.Transactional standard =
                DeclaredLocks.find(jakarta.transaction.Transactional.class, method, targetClass);
        return standard != null && APART.contains(standard.value().name());
    }

    @Override
    public boolean isThere() {
        return current().isPresent();
    }

    private Optional<TransactionStatus<?>> current() {
        return operations.get().stream()
                .flatMap(DataTransactions::status)
                .filter(each -> !each.isCompleted() && isTransaction(each))
                .findFirst();
    }

    private static Stream<TransactionStatus<?>> status(TransactionOperations<?> operations) {
        return operations.findTransactionStatus().<TransactionStatus<?>>map(each -> each).stream();
    }

    /** Returns whether it is a transaction: a method that supports one, but has none, has a status, too. */
    private static boolean isTransaction(TransactionStatus<?> status) {
        return status.isNewTransaction() || status.getClass().getSimpleName().startsWith("Existing");
    }

    @Override
    public boolean register(BoundHold hold) {
        TransactionStatus<?> status = current().orElse(null);
        if (status == null) {
            return false;
        }
        Object connection = status.getConnection();
        BoundHolds holds = kept.get(connection);
        if (holds == null) {
            holds = new BoundHolds();
            status.registerSynchronization(new End(holds, () -> kept.remove(connection)));
            kept.put(connection, holds);
        }
        return holds.add(hold);
    }

    /** Lets the transaction of this thread, if there is one, run an action before it commits. */
    void beforeCommit(Runnable action) {
        current()
                .ifPresent(status -> status.registerSynchronization(new TransactionSynchronization() {
                    @Override
                    public void beforeCommit(boolean readOnly) {
                        action.run();
                    }
                }));
    }

    /**
     * The end of one transaction.
     *
     * @param holds what it keeps
     * @param forget forgets the transaction
     */
    private record End(BoundHolds holds, Runnable forget) implements TransactionSynchronization {
        @Override
        public void beforeCommit(boolean readOnly) {
            holds.beforeCommit();
        }

        @Override
        public void afterCompletion(Status status) {
            forget.run();
            holds.afterCompletion(
                    status == Status.COMMITTED,
                    lost -> PrintableLog.LOG.log(Level.ERROR, String.valueOf(lost.getMessage()), lost));
        }
    }
}
