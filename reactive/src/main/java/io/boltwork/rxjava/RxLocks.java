// SPDX-License-Identifier: Apache-2.0
package io.boltwork.rxjava;

import io.boltwork.FencedLock;
import io.boltwork.LockClient;
import io.boltwork.LockOptions;
import java.util.Objects;

/**
 * The locks of a {@link LockClient} for RxJava 3: nothing happens before the subscription, each subscription is a
 * request of its own, and a disposal withdraws it, or releases what it holds. No method and no subscription blocks.
 * Signals come on the client's callback executor. Failures are those of the asynchronous methods of the client's locks.
 *
 * <!-- snippet: RxExample.java#rx-lock -->
 * <pre>{@code
 * RxLocks reactive = RxLocks.of(locks);
 * return reactive.lock("stock:1001").withLock(Duration.ofSeconds(2), purchase);
 * }</pre>
 *
 * <p>Leases belong to the subscription and to no thread. They are not reentrant, unless the lock has an owner:
 * {@code RxLock.of(lock.ownedBy(owner))}. Thread-safe.
 *
 * @since 0.1.0
 */
public final class RxLocks {

    private final LockClient client;

    private RxLocks(LockClient client) {
        this.client = client;
    }

    /**
     * Returns the locks of a client for RxJava 3.
     *
     * @param client the client, which is still to be closed by the caller
     * @return the locks
     */
    public static RxLocks of(LockClient client) {
        return new RxLocks(Objects.requireNonNull(client, "client"));
    }

    /**
     * Returns the lock of a name, as {@link LockClient#lock(String)} does.
     *
     * @param name the name of the lock
     * @return the lock
     */
    public RxLock lock(String name) {
        return RxLock.of(client.lock(name));
    }

    /**
     * Returns the lock of a name, as {@link LockClient#lock(String, LockOptions)} does.
     *
     * @param name the name of the lock
     * @param options the options with which it is held
     * @return the lock
     */
    public RxLock lock(String name, LockOptions options) {
        return RxLock.of(client.lock(name, options));
    }

    /**
     * Returns a lock of several locks, as {@link LockClient#multiLock} does.
     *
     * @param members 1 or more locks of the client
     * @return the lock
     */
    public RxLock multiLock(FencedLock... members) {
        return RxLock.of(client.multiLock(members));
    }

    /**
     * Returns the read-write lock of a name, as {@link LockClient#readWriteLock(String)} does.
     *
     * @param name the name of the lock
     * @return the lock
     */
    public RxReadWriteLock readWriteLock(String name) {
        return readWriteLock(name, LockOptions.defaults());
    }

    /**
     * Returns the read-write lock of a name, as {@link LockClient#readWriteLock(String, LockOptions)} does.
     *
     * @param name the name of the lock
     * @param options the options with which both sides are held
     * @return the lock
     */
    public RxReadWriteLock readWriteLock(String name, LockOptions options) {
        return new RxReadWriteLock(client.readWriteLock(name, options));
    }

    /**
     * Returns a semaphore, as {@link LockClient#semaphore(String, int)} does.
     *
     * @param name the name of the semaphore
     * @param permits how many permits it has
     * @return the semaphore
     */
    public RxSemaphore semaphore(String name, int permits) {
        return semaphore(name, permits, LockOptions.defaults());
    }

    /**
     * Returns a semaphore, as {@link LockClient#semaphore(String, int, LockOptions)} does.
     *
     * @param name the name of the semaphore
     * @param permits how many permits it has
     * @param options the options with which permits are held
     * @return the semaphore
     */
    public RxSemaphore semaphore(String name, int permits, LockOptions options) {
        return new RxSemaphore(client.semaphore(name, permits, options));
    }

    /**
     * Returns the latch of a name, as {@link LockClient#latch(String)} does.
     *
     * @param name the name of the latch
     * @return the latch
     */
    public RxLatch latch(String name) {
        return new RxLatch(client.latch(name));
    }

    @Override
    public String toString() {
        return "RxLocks[" + client + "]";
    }
}
