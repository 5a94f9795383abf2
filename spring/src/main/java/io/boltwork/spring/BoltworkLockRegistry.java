// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring;

import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LeaseLostException;
import io.boltwork.LockClient;
import io.boltwork.LockOptions;
import io.boltwork.spi.Printable;
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
 * @since 0.1.0
 */
public final class BoltworkLockRegistry implements RenewableLockRegistry<DistributedLock> {
    private final LockClient client;
    private final String prefix;
    private final LockOptions options;

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
        this.client = Objects.requireNonNull(client, "client");
        this.prefix = Objects.requireNonNull(prefix, "prefix");
        this.options = Objects.requireNonNull(options, "options");
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
        return new KeyLock(fenced(lockKey));
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

    private record KeyLock(FencedLock fenced) implements DistributedLock {

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
                fenced.unlock();
            } catch (LeaseLostException lost) {
                ConcurrentModificationException told = new ConcurrentModificationException(lost.getMessage());
                told.initCause(lost);
                throw told;
            } catch (IllegalMonitorStateException notHeld) {
                throw new IllegalStateException(notHeld.getMessage(), notHeld);
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
