// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring;

import io.boltwork.Lease;
import io.boltwork.LeaseLostException;
import io.boltwork.spi.Printable;
import java.lang.reflect.Method;
import java.util.concurrent.CompletionStage;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.AnnotationTransactionAttributeSource;
import org.springframework.transaction.interceptor.TransactionAttribute;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;

/**
 * A transaction that was begun before the lock was acquired. The lock is released when the transaction has completed,
 * because the changes made under the lock are not visible to others before then. Methods that do not take part in the
 * caller's transaction have no such boundary.
 */
final class TransactionBoundary {
    private static final boolean PRESENT = ClassUtils.isPresent(
            "org.springframework.transaction.support.TransactionSynchronizationManager",
            TransactionBoundary.class.getClassLoader());

    private TransactionBoundary() {}

    /**
     * Returns whether a method does not take part in the caller's transaction. When such a method returns, its own
     * transaction has ended, or it had none.
     */
    static boolean isLeftAside(Method method, Class<?> targetClass) {
        return PRESENT && Propagation.isLeftAside(method, targetClass);
    }

    /** Returns whether the method takes part in a transaction of this thread. */
    static boolean isThere(LockMethod method) {
        return PRESENT && !method.apart() && ReleaseAfterTransaction.isThere();
    }

    /**
     * Returns whether the method takes part in a transaction of this thread. If so, the transaction releases the lock,
     * after {@code later} if there is such a stage. A transaction never keeps a permit of a semaphore: it would wait for
     * itself when it has called the method too often.
     */
    static boolean takes(LockMethod method, LockTurn turn, Lease lease, @Nullable CompletionStage<?> later) {
        return PRESENT
                && !method.apart()
                && turn.target().kind() != TargetKind.SEMAPHORE
                && ReleaseAfterTransaction.register(turn, lease, later);
    }

    /** Returns the message to log when a transaction commits without an answer from the backend. */
    static String unanswered(LockTurn turn, Lease lease) {
        return "@DistributedLock on " + turn.operation().where()
                + ": the backend did not confirm that the lease of '" + Printable.text(lease.lockName())
                + "' still exists. The transaction commits anyway, because the lease is valid by the clock";
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
    private record ReleaseAfterTransaction(
            LockTurn turn, Lease lease, @Nullable CompletionStage<?> later) implements TransactionSynchronization {
        private static final Log LOG = LogFactory.getLog(DistributedLock.class);

        static boolean isThere() {
            return TransactionSynchronizationManager.isActualTransactionActive()
                    && TransactionSynchronizationManager.isSynchronizationActive();
        }

        static boolean register(LockTurn turn, Lease lease, @Nullable CompletionStage<?> later) {
            if (!isThere()) {
                return false;
            }
            TransactionSynchronizationManager.registerSynchronization(new ReleaseAfterTransaction(turn, lease, later));
            return true;
        }

        /** Runs after all other synchronizations have flushed their data. */
        @Override
        public int getOrder() {
            return Ordered.LOWEST_PRECEDENCE;
        }

        /** Asks the backend, because a lease that was taken away a moment ago is still valid by the clock. */
        @Override
        public void beforeCommit(boolean readOnly) {
            if (!turn.operation().ignoreLoss() && !lease.verify()) {
                LOG.warn(unanswered(turn, lease));
            }
        }

        @Override
        public void afterCompletion(int status) {
            if (later != null) {
                later.whenComplete((value, failure) -> turn.releaseAsync(lease));
                return;
            }
            try {
                turn.release(new LockTurn.TakenLock(turn.target(), lease));
            } catch (LeaseLostException lost) {
                if (status == STATUS_COMMITTED) {
                    throw lost; // Spring logs it: the lease was lost while the database was committing
                }
            }
        }
    }
}
