package io.boltwork.spring;

import io.boltwork.Lease;
import io.boltwork.LeaseLostException;
import org.springframework.core.Ordered;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;

/**
 * A transaction that was there before the lock was taken: the lock is given back when it has completed, because nobody else sees
 * before then what was done under the lock.
 */
final class TransactionBoundary {
    private static final boolean PRESENT = ClassUtils.isPresent(
            "org.springframework.transaction.support.TransactionSynchronizationManager",
            TransactionBoundary.class.getClassLoader());

    private TransactionBoundary() {}

    /** Whether this thread is in a transaction. */
    static boolean isThere() {
        return PRESENT && End.isThere();
    }

    /** The same; that transaction then gives the lock back. */
    static boolean takes(LockTurn turn, Lease lease) {
        return PRESENT && End.register(turn, lease);
    }

    /** Apart, because it is made of classes that need not be there. */
    private record End(LockTurn turn, Lease lease) implements TransactionSynchronization {

        static boolean isThere() {
            return TransactionSynchronizationManager.isActualTransactionActive()
                    && TransactionSynchronizationManager.isSynchronizationActive();
        }

        static boolean register(LockTurn turn, Lease lease) {
            if (!isThere()) {
                return false;
            }
            TransactionSynchronizationManager.registerSynchronization(new End(turn, lease));
            return true;
        }

        /** After everything else has been flushed. */
        @Override
        public int getOrder() {
            return Ordered.LOWEST_PRECEDENCE;
        }

        @Override
        public void beforeCommit(boolean readOnly) {
            if (!turn.operation().ignoreLoss()) {
                lease.ensureValid();
            }
        }

        @Override
        public void afterCompletion(int status) {
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
