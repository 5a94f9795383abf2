// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.acquire;

import io.boltwork.annotation.acquire.BoundHold;
import io.boltwork.annotation.acquire.TransactionBoundary;
import java.lang.reflect.Method;
import org.springframework.core.Ordered;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.AnnotationTransactionAttributeSource;
import org.springframework.transaction.interceptor.TransactionAttribute;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;

/** The transactions of Spring, which may be absent. */
public final class SpringTransactions implements TransactionBoundary {
    public static final SpringTransactions INSTANCE = new SpringTransactions();

    private static final boolean PRESENT = ClassUtils.isPresent(
            "org.springframework.transaction.support.TransactionSynchronizationManager",
            SpringTransactions.class.getClassLoader());

    private SpringTransactions() {}

    @Override
    public boolean isLeftAside(Method method, Class<?> targetClass) {
        return PRESENT && Propagation.isLeftAside(method, targetClass);
    }

    @Override
    public boolean isThere() {
        return PRESENT && ReleaseAfterTransaction.isThere();
    }

    @Override
    public boolean register(BoundHold hold) {
        return ReleaseAfterTransaction.register(hold);
    }

    /** A separate class, because it depends on classes that may be absent. */
    private static final class Propagation {
        private static final AnnotationTransactionAttributeSource ATTRIBUTES =
                new AnnotationTransactionAttributeSource(false);

        static boolean isLeftAside(Method method, Class<?> targetClass) {
            TransactionAttribute attribute = ATTRIBUTES.getTransactionAttribute(method, targetClass);
            if (attribute == null) {
                return false;
            }
            return switch (attribute.getPropagationBehavior()) {
                case TransactionDefinition.PROPAGATION_REQUIRES_NEW,
                        TransactionDefinition.PROPAGATION_NOT_SUPPORTED,
                        TransactionDefinition.PROPAGATION_NEVER -> true;
                default -> false;
            };
        }
    }

    /** A separate class, because it depends on classes that may be absent. */
    private record ReleaseAfterTransaction(BoundHold hold) implements TransactionSynchronization {

        static boolean isThere() {
            return TransactionSynchronizationManager.isActualTransactionActive()
                    && TransactionSynchronizationManager.isSynchronizationActive();
        }

        static boolean register(BoundHold hold) {
            if (isKept(hold)) {
                return false;
            }
            TransactionSynchronizationManager.registerSynchronization(new ReleaseAfterTransaction(hold));
            return true;
        }

        /**
         * Returns whether the transaction keeps the lock already. Then another query before the commit is not needed.
         */
        private static boolean isKept(BoundHold hold) {
            for (TransactionSynchronization each : TransactionSynchronizationManager.getSynchronizations()) {
                if (each instanceof ReleaseAfterTransaction kept && kept.hold.includes(hold)) {
                    return true;
                }
            }
            return false;
        }

        /** Runs after all other synchronizations have flushed their data. */
        @Override
        public int getOrder() {
            return Ordered.LOWEST_PRECEDENCE;
        }

        @Override
        public void beforeCommit(boolean readOnly) {
            hold.beforeCommit();
        }

        @Override
        public void afterCompletion(int status) {
            hold.afterCompletion(status == STATUS_COMMITTED);
        }
    }
}
