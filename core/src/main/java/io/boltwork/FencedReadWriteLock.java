// SPDX-License-Identifier: Apache-2.0
package io.boltwork;

import java.util.concurrent.locks.ReadWriteLock;

/**
 * A read-write lock over all clients of a backend: many readers, or one writer. Both sides are leased, fenced and told
 * of a loss like a {@link FencedLock}. Thread-safe.
 *
 * <ul>
 *   <li><b>Order</b>: requests are served in the order in which they reach the backend. Readers that follow each other
 *       are granted together, and none overtakes a writer that waits. So neither side is starved.
 *   <li><b>Readers of one client</b> with equal options share a hold on the backend. A reader that comes within a
 *       {@linkplain ClientOptions#withSlice slice} of its beginning joins without a round trip, even if a writer waits
 *       elsewhere. Readers with {@link LockOptions.Fairness#FIFO FIFO}, a fixed lease, {@code maxHold}, {@code minHold}
 *       or {@code replication} have a hold each.
 *   <li><b>Turns</b>: writers and readers of one client, with equal options, pass a hold on for a slice before other
 *       clients get the lock. When the slice ends, readers of other clients may read beside those that still do.
 *   <li><b>{@code isLocked()}</b> of a side tells whether readers, or a writer, hold the lock. The holds of this client
 *       are told apart exactly. Another client sees readers that have a turn, or have just downgraded, as a writer
 *       until the backend has learned of them: for a slice and a round trip at most.
 *   <li><b>Reentrancy</b>: a reader may read again, and a writer may write again and read, without waiting. A writer
 *       that reads and then releases the write lock goes on as a reader (a downgrade), and no writer comes between. A
 *       reader that wants to write would wait for itself; it gets an {@link IllegalMonitorStateException} at once.
 *   <li><b>Leases</b> of readers end one by one. A reader that dies delays a writer by its lease at most.
 *   <li><b>Tokens</b>: a reader's token is larger than those of all writers before it, and a writer's is larger than
 *       all before it. A writer that reads has one token for both.
 * </ul>
 *
 * <!-- snippet: ClassExamples.java#FencedReadWriteLock -->
 * <pre>{@code
 * FencedReadWriteLock prices = locks.readWriteLock("prices");
 * try (Lease reading = prices.readLock().acquire()) {
 *     return cache.get(product);
 * }
 * }</pre>
 *
 * @since 0.1.0
 */
public interface FencedReadWriteLock extends ReadWriteLock {

    /**
     * Returns the name of the lock.
     *
     * @return the name
     */
    String name();

    /**
     * Returns the lock of the readers.
     *
     * @return a lock that many may hold at a time
     */
    @Override
    FencedLock readLock();

    /**
     * Returns the lock of the writers. Its methods that wait for the thread, and {@code tryLock()}, throw
     * {@link IllegalMonitorStateException} if the thread holds the read lock and not the write lock.
     *
     * @return a lock that one owner holds at a time, while there are no readers
     */
    @Override
    FencedLock writeLock();

    /**
     * Returns the same lock with other options for both sides. The sides have a method {@code withOptions}, too.
     *
     * @param options the options
     * @return a view of this lock
     */
    FencedReadWriteLock withOptions(LockOptions options);
}
