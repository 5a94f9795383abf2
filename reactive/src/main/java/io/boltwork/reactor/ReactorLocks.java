// SPDX-License-Identifier: Apache-2.0
package io.boltwork.reactor;

import io.boltwork.FencedLock;
import io.boltwork.LockClient;
import io.boltwork.LockOptions;
import java.util.Objects;

/**
 * The locks of a {@link LockClient} for Reactor: nothing happens before the subscription, each subscription is a
 * request of its own, and a cancellation withdraws it, or releases what it holds. No method and no subscription blocks.
 * Signals come on the client's callback executor. Failures are those of the asynchronous methods of the client's locks.
 *
 * <!-- snippet: ReactorExample.java#reactor-lock -->
 * <pre>{@code
 * ReactorLocks reactive = ReactorLocks.of(locks);
 * return reactive.lock("stock:1001").withLock(Duration.ofSeconds(2), purchase);
 * }</pre>
 *
 * <p>Locks belong to the pipeline and to no thread. The outermost {@code withLock} or {@code withLease} makes an owner
 * and puts it into the context, under the key {@link io.boltwork.LockOwner LockOwner.class}; whatever the body acquires
 * there, by this client or another, belongs to that owner, so that locks are reentrant. Put an owner of your own into
 * the context to share it between pipelines. Leases that are acquired outside of all bodies are not reentrant.
 * Thread-safe.
 *
 * @since 0.1.0
 */
public final class ReactorLocks {

    private final LockClient client;

    private ReactorLocks(LockClient client) {
        this.client = client;
    }

    /**
     * Returns the locks of a client for Reactor.
     *
     * @param client the client, which is still to be closed by the caller
     * @return the locks
     */
    public static ReactorLocks of(LockClient client) {
        return new ReactorLocks(Objects.requireNonNull(client, "client"));
    }

    /**
     * Returns the lock of a name, as {@link LockClient#lock(String)} does.
     *
     * @param name the name of the lock
     * @return the lock
     */
    public ReactorLock lock(String name) {
        return ReactorLock.of(client.lock(name));
    }

    /**
     * Returns the lock of a name, as {@link LockClient#lock(String, LockOptions)} does.
     *
     * @param name the name of the lock
     * @param options the options with which it is held
     * @return the lock
     */
    public ReactorLock lock(String name, LockOptions options) {
        return ReactorLock.of(client.lock(name, options));
    }

    /**
     * Returns a lock of several locks, as {@link LockClient#multiLock} does.
     *
     * @param members 1 or more locks of the client
     * @return the lock
     */
    public ReactorLock multiLock(FencedLock... members) {
        return ReactorLock.of(client.multiLock(members));
    }

    /**
     * Returns the read-write lock of a name, as {@link LockClient#readWriteLock(String)} does.
     *
     * @param name the name of the lock
     * @return the lock
     */
    public ReactorReadWriteLock readWriteLock(String name) {
        return readWriteLock(name, LockOptions.defaults());
    }

    /**
     * Returns the read-write lock of a name, as {@link LockClient#readWriteLock(String, LockOptions)} does.
     *
     * @param name the name of the lock
     * @param options the options with which both sides are held
     * @return the lock
     */
    public ReactorReadWriteLock readWriteLock(String name, LockOptions options) {
        return new ReactorReadWriteLock(client.readWriteLock(name, options));
    }

    /**
     * Returns a semaphore, as {@link LockClient#semaphore(String, int)} does.
     *
     * @param name the name of the semaphore
     * @param permits how many permits it has
     * @return the semaphore
     */
    public ReactorSemaphore semaphore(String name, int permits) {
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
    public ReactorSemaphore semaphore(String name, int permits, LockOptions options) {
        return new ReactorSemaphore(client.semaphore(name, permits, options));
    }

    /**
     * Returns the latch of a name, as {@link LockClient#latch(String)} does.
     *
     * @param name the name of the latch
     * @return the latch
     */
    public ReactorLatch latch(String name) {
        return new ReactorLatch(client.latch(name));
    }

    @Override
    public String toString() {
        return "ReactorLocks[" + client + "]";
    }
}
