// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring;

import io.boltwork.Lease;
import org.jspecify.annotations.Nullable;

/**
 * An action that {@link LockTemplate#execute(String, LockCallback)} executes under a lock.
 *
 * @param <T> the type of the result
 * @param <E> the type of exception that the action may throw
 * @since 0.1.0
 */
@FunctionalInterface
public interface LockCallback<T extends @Nullable Object, E extends Throwable> {

    /**
     * Executes the action while this thread holds the lock.
     *
     * @param lease the hold, with its fencing token
     * @return the result of {@code execute}
     * @throws E the exception that {@code execute} throws
     */
    T doWithLock(Lease lease) throws E;
}
