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
 * A transaction that was there before the lock was taken: the lock is given back when it has completed, because nobody else sees
 * before then what was done under the lock. Methods that do not take part in the caller's transaction have no such boundary.
 */
final class TransactionBoundary {
    private static final boolean PRESENT = ClassUtils.isPresent(
            "org.springframework.transaction.support.TransactionSynchronizationManager",
            TransactionBoundary.class.getClassLoader());

    private TransactionBoundary() {}

    /** Returns whether a method leaves the caller's transaction aside: its own one is over, or there is none, when it returns. */
    static boolean isLeftAside(Method method, Class<?> targetClass) {
        return PRESENT && Propagation.isLeftAside(method, targetClass);
    }

    /** Returns whether the method takes part in a transaction of this thread. */
    static boolean isThere(LockMethod method) {
        return PRESENT && !method.apart() && End.isThere();
    }

    /** The same; that transaction then gives the lock back, after {@code later}, if there is such a stage. */
    static boolean takes(LockMethod method, LockTurn turn, Lease lease, @Nullable CompletionStage<?> later) {
        return PRESENT && !method.apart() && End.register(turn, lease, later);
    }

    /** Returns what is logged when a transaction commits without an answer of the backend. */
    static String unanswered(LockTurn turn, Lease lease) {
        return "@DistributedLock on " + turn.operation().where()
                + ": the backend has not answered whether the lease of '" + Printable.text(lease.lockName())
                + "' still exists; the transaction commits, because the lease is valid by the clock";
    }

    /** Apart, because it is made of classes that need not be there. */
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

    /** Apart, because it is made of classes that need not be there. */
    private record End(LockTurn turn, Lease lease, @Nullable CompletionStage<?> later)
            implements TransactionSynchronization {
        private static final Log LOG = LogFactory.getLog(DistributedLock.class);

        static boolean isThere() {
            return TransactionSynchronizationManager.isActualTransactionActive()
                    && TransactionSynchronizationManager.isSynchronizationActive();
        }

        static boolean register(LockTurn turn, Lease lease, @Nullable CompletionStage<?> later) {
            if (!isThere()) {
                return false;
            }
            TransactionSynchronizationManager.registerSynchronization(new End(turn, lease, later));
            return true;
        }

        /** After everything else has been flushed. */
        @Override
        public int getOrder() {
            return Ordered.LOWEST_PRECEDENCE;
        }

        /** Asks the backend: a lease that was taken away a moment ago is valid by the clock. */
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
                turn.release(new LockTurn.Hold(turn.lock(), lease));
            } catch (LeaseLostException lost) {
                if (status == STATUS_COMMITTED) {
                    throw lost; // Spring logs it: it was lost while the database was committing
                }
            }
        }
    }
}
