package io.boltwork.spring;

import io.boltwork.Lease;
import org.jspecify.annotations.Nullable;

/**
 * What {@link LockTemplate#execute(String, LockCallback)} does under a lock.
 *
 * @param <T> what is computed
 * @param <E> what may go wrong
 */
@FunctionalInterface
public interface LockCallback<T extends @Nullable Object, E extends Throwable> {

    /**
     * Executed while the lock is held by this thread.
     *
     * @param lease the hold, with its fencing token
     * @return what {@code execute} returns
     * @throws E what {@code execute} throws
     */
    T doWithLock(Lease lease) throws E;
}
