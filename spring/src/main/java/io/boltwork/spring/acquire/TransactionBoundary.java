// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.acquire;

import io.boltwork.Lease;
import io.boltwork.LeaseLostException;
import io.boltwork.spi.Printable;
import io.boltwork.spring.DistributedLock;
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
public final class TransactionBoundary {
    private static final boolean PRESENT = ClassUtils.isPresent(
            "org.springframework.transaction.support.TransactionSynchronizationManager",
            TransactionBoundary.class.getClassLoader());

    private TransactionBoundary() {}

    /**
     * Returns whether a method does not take part in the caller's transaction. When such a method returns, its own
     * transaction has ended, or it had none.
     */
    public static boolean isLeftAside(Method method, Class<?> targetClass) {
        return PRESENT && Propagation.isLeftAside(method, targetClass);
    }

    /** Returns whether there is a transaction of this thread. */
    public static boolean isThere() {
        return PRESENT && ReleaseAfterTransaction.isThere();
    }

    /**
     * Returns whether a transaction of this thread releases the hold. If not, the caller must release it, either
     * because there is no transaction, or because the transaction keeps another handle of the same lock. A transaction
     * never keeps a permit of a semaphore: it would wait for itself when it has asked for permits too often.
     */
    public static boolean takes(BoundHold hold) {
        return PRESENT && hold.target().kind() != TargetKind.SEMAPHORE && ReleaseAfterTransaction.register(hold);
    }

    /**
     * A hold that a transaction may release.
     *
     * @param target the lock
     * @param lease its handle, which any thread may release
     * @param source the code that acquired the lock
     * @param later work that must end before the release; {@code null} if there is none
     */
    public record BoundHold(
            LockTarget target,
            Lease lease,
            HoldSource source,
            @Nullable CompletionStage<?> later) {

        boolean includes(BoundHold other) {
            return later == null
                    && other.later == null
                    && target.equals(other.target)
                    && source.ignoreLoss() == other.source.ignoreLoss();
        }
    }

    /**
     * The code that acquired a lock.
     *
     * @param name what it is called in messages
     * @param ignoreLoss whether it ignores the loss of the lease
     */
    public record HoldSource(String name, boolean ignoreLoss) {}

    /** Returns the message to log when a transaction commits without an answer from the backend. */
    public static String unanswered(HoldSource source, Lease lease) {
        return source.name()
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
    private record ReleaseAfterTransaction(BoundHold hold) implements TransactionSynchronization {
        private static final Log LOG = LogFactory.getLog(DistributedLock.class);

        static boolean isThere() {
            return TransactionSynchronizationManager.isActualTransactionActive()
                    && TransactionSynchronizationManager.isSynchronizationActive();
        }

        static boolean register(BoundHold hold) {
            if (!isThere() || isKept(hold)) {
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

        /** Asks the backend, because a lease that was taken away a moment ago is still valid by the clock. */
        @Override
        public void beforeCommit(boolean readOnly) {
            if (!hold.source().ignoreLoss() && !hold.lease().verify()) {
                LOG.warn(unanswered(hold.source(), hold.lease()));
            }
        }

        @Override
        public void afterCompletion(int status) {
            CompletionStage<?> later = hold.later();
            if (later != null) {
                later.whenComplete((value, failure) -> hold.lease().releaseAsync());
                return;
            }
            try {
                hold.lease().release();
            } catch (LeaseLostException lost) {
                if (status == STATUS_COMMITTED && !hold.source().ignoreLoss()) {
                    throw lost; // Spring logs it: the lease was lost while the database was committing
                }
            }
        }
    }
}
