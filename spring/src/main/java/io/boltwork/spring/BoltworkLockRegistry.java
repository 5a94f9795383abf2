// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring;

import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LeaseLostException;
import io.boltwork.LockClient;
import io.boltwork.LockOptions;
import io.boltwork.annotation.acquire.BoundHold;
import io.boltwork.annotation.acquire.FencedTarget;
import io.boltwork.annotation.acquire.TargetKind;
import io.boltwork.spi.Printable;
import io.boltwork.spring.acquire.SpringTransactions;
import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.support.locks.RenewableLockRegistry;

/**
 * A {@link org.springframework.integration.support.locks.LockRegistry} of Spring Integration, backed by Boltwork. It
 * can replace any other registry, for example for aggregators, leader election and file filters. It is auto-configured
 * if Spring Integration is present and there is no other registry.
 *
 * <p>A lock is identified by its key, a {@link String} such as in {@code obtain("orders")}; two locks with the same key
 * are equal. As with Spring Integration's own registries, {@code unlock()} throws {@link IllegalStateException} if the
 * thread does not hold the lock, and {@link ConcurrentModificationException} if the lease has been lost. Conditions are
 * not supported. A lease is renewed unless the caller specifies its length or the options say otherwise; this needs no
 * Spring scheduler. {@link #renewLock(Object, Duration)} extends any lease. Thread-safe.
 *
 * <p>In a transaction of Spring, the last {@code unlock()} leaves the lock to the transaction, which releases it when
 * it has completed, and is rolled back if the lease has been lost by then. Until then, this thread still holds the lock
 * and can lock it again; other threads wait for it. {@link #withReleaseBeforeCommit()} releases the lock at once
 * instead.
 *
 * @since 0.1.0
 */
public final class BoltworkLockRegistry implements RenewableLockRegistry<DistributedLock> {
    private final LockClient client;
    private final String prefix;
    private final LockOptions options;
    private final boolean beforeCommit;

    /**
     * Creates a registry with the default lock options.
     *
     * @param client the client that provides the locks
     * @param prefix the prefix of the locks' names, such as {@code integration:}; may be empty
     */
    public BoltworkLockRegistry(LockClient client, String prefix) {
        this(client, prefix, LockOptions.defaults());
    }

    /**
     * Creates a registry.
     *
     * @param client the client that provides the locks
     * @param prefix the prefix of the locks' names; may be empty
     * @param options the options of all locks
     */
    public BoltworkLockRegistry(LockClient client, String prefix, LockOptions options) {
        this(
                Objects.requireNonNull(client, "client"),
                Objects.requireNonNull(prefix, "prefix"),
                Objects.requireNonNull(options, "options"),
                false);
    }

    private BoltworkLockRegistry(LockClient client, String prefix, LockOptions options, boolean beforeCommit) {
        this.client = client;
        this.prefix = prefix;
        this.options = options;
        this.beforeCommit = beforeCommit;
    }

    /**
     * Returns a registry whose {@code unlock()} releases the lock even in a transaction that has not committed yet, as
     * Spring Integration's own registries do. The next holder of the lock does not see what that transaction has
     * changed.
     *
     * @return a new registry for the same locks
     */
    public BoltworkLockRegistry withReleaseBeforeCommit() {
        return new BoltworkLockRegistry(client, prefix, options, true);
    }

    /**
     * Returns the lock with the given key. Makes no round trip.
     *
     * @param lockKey a string
     * @return the lock
     * @throws IllegalArgumentException if the key is not a string
     */
    @Override
    public DistributedLock obtain(Object lockKey) {
        return new KeyLock(fenced(lockKey), beforeCommit);
    }

    private FencedLock fenced(Object lockKey) {
        if (!(lockKey instanceof String key)) {
            throw new IllegalArgumentException("lockKey must be a String, but is "
                    + (lockKey == null ? "null" : lockKey.getClass().getName()));
        }
        return client.lock(prefix + key, options);
    }

    /**
     * Extends the lease of the lock that this thread holds to at least the registry's lease duration from now. Makes
     * one round trip.
     *
     * @param lockKey a string
     * @throws IllegalArgumentException if the key is not a string
     * @throws IllegalStateException if this thread does not hold the lock, or has lost it
     * @throws io.boltwork.BackendException if the backend did not answer
     */
    @Override
    public void renewLock(Object lockKey) {
        renewLock(lockKey, options.lease());
    }

    /**
     * Extends the lease of the lock that this thread holds to at least {@code ttl} from now. Never shortens a lease.
     * Makes one round trip.
     *
     * @param lockKey a string
     * @param ttl 1 ms to 365 days
     * @throws IllegalArgumentException if the key is not a string, or the time is out of range
     * @throws IllegalStateException if this thread does not hold the lock, or has lost it
     * @throws io.boltwork.BackendException if the backend did not answer
     */
    @Override
    public void renewLock(Object lockKey, Duration ttl) {
        FencedLock lock = fenced(lockKey);
        Lease held = lock.currentLease()
                .orElseThrow(() -> new IllegalStateException("The lock '" + Printable.text(lock.name())
                        + "' cannot be renewed: this thread does not hold it"));
        try {
            held.extend(ttl);
        } catch (LeaseLostException lost) {
            throw new IllegalStateException(lost.getMessage(), lost);
        }
    }

    private record KeyLock(FencedLock fenced, boolean beforeCommit) implements DistributedLock {
        private static final BoundHold.Source SOURCE = new BoundHold.Source("LockRegistry", false);

        @Override
        public void lock(Duration ttl) {
            fenced.lock(ttl);
        }

        @Override
        public boolean tryLock(Duration waitTime, Duration ttl) throws InterruptedException {
            return fenced.tryLock(waitTime, ttl);
        }

        @Override
        public void lock() {
            fenced.lock();
        }

        @Override
        public void lockInterruptibly() throws InterruptedException {
            fenced.lockInterruptibly();
        }

        @Override
        public boolean tryLock() {
            return fenced.tryLock();
        }

        @Override
        public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
            return fenced.tryLock(time, unit);
        }

        @Override
        public void unlock() {
            try {
                if (beforeCommit || !SpringTransactions.INSTANCE.isThere() || !fenced.isHeldByCurrentThread()) {
                    fenced.unlock();
                } else {
                    unlockAfterTransaction();
                }
            } catch (LeaseLostException lost) {
                ConcurrentModificationException told = new ConcurrentModificationException(lost.getMessage());
                told.initCause(lost);
                throw told;
            } catch (IllegalMonitorStateException notHeld) {
                throw new IllegalStateException(notHeld.getMessage(), notHeld);
            }
        }

        /** Replaces this thread's hold by a handle, which the transaction releases. */
        private void unlockAfterTransaction() {
            Lease handle = fenced.acquire(); // nested: makes no round trip
            boolean kept = false;
            try {
                fenced.unlock();
                kept = SpringTransactions.INSTANCE.takes(
                        new BoundHold(new FencedTarget(TargetKind.LOCK, fenced), handle, SOURCE, null));
            } finally {
                if (!kept) {
                    handle.release();
                }
            }
        }

        @Override
        public Condition newCondition() {
            return fenced.newCondition();
        }

        @Override
        public String toString() {
            return "BoltworkLockRegistry lock '" + Printable.text(fenced.name()) + "'";
        }
    }
}
