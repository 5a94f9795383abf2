// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation.acquire;

import java.lang.reflect.Method;

/**
 * The transaction of a framework that was begun before the lock was acquired. The lock is released when the transaction
 * has completed, because the changes made under the lock are not visible to others before then. Methods that do not
 * take part in the caller's transaction have no such boundary. Thread-safe.
 */
public interface TransactionBoundary {

    /** The boundary for an application without transactions. */
    TransactionBoundary NONE = new TransactionBoundary() {
        @Override
        public boolean isLeftAside(Method method, Class<?> targetClass) {
            return false;
        }

        @Override
        public boolean isThere() {
            return false;
        }

        @Override
        public boolean register(BoundHold hold) {
            return false;
        }
    };

    /**
     * Returns whether a method does not take part in the caller's transaction. When such a method returns, its own
     * transaction has ended, or it had none.
     */
    boolean isLeftAside(Method method, Class<?> targetClass);

    /** Returns whether there is a transaction of this thread. */
    boolean isThere();

    /**
     * Lets the transaction of this thread, which {@linkplain #isThere is there}, verify the hold before the commit and
     * release it after the completion. Returns {@code false} if it keeps another handle of the same lock already.
     */
    boolean register(BoundHold hold);

    /**
     * Returns whether a transaction of this thread releases the hold. If not, the caller must release it, either
     * because there is no transaction, or because the transaction keeps another handle of the same lock. A transaction
     * never keeps a permit of a semaphore: it would wait for itself when it has asked for permits too often.
     */
    default boolean takes(BoundHold hold) {
        return hold.target().kind() != TargetKind.SEMAPHORE && isThere() && register(hold);
    }
}
