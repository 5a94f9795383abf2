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
 * Spring Integration's registry of locks over Boltwork: for aggregators, leader election and file filters that had another one.
 * It is auto-configured where Spring Integration is and there is no other registry.
 *
 * <p>A lock is known by its key, a {@link String} such as in {@code obtain("orders")}; two of one key are equal. As with Spring
 * Integration's own registries, {@code unlock()} throws {@link IllegalStateException} if the thread does not hold the lock and {@link
 * ConcurrentModificationException} if the lease was lost before, and there are no conditions. A lease is renewed unless the
 * caller gives it a length or the options say so, without a scheduler of Spring's. {@link #renewLock(Object, Duration)} makes any
 * lease last longer. Thread-safe.
 */
public final class BoltworkLockRegistry implements RenewableLockRegistry<DistributedLock> {
    private final LockClient client;
    private final String prefix;
    private final LockOptions options;

    /**
     * A registry with the default options of locks.
     *
     * @param client where locks come from
     * @param prefix what the locks' names begin with, such as {@code integration:}; may be empty
     */
    public BoltworkLockRegistry(LockClient client, String prefix) {
        this(client, prefix, LockOptions.defaults());
    }

    /**
     * A registry.
     *
     * @param client where locks come from
     * @param prefix what the locks' names begin with; may be empty
     * @param options how locks are held
     */
    public BoltworkLockRegistry(LockClient client, String prefix, LockOptions options) {
        this.client = Objects.requireNonNull(client, "client");
        this.prefix = Objects.requireNonNull(prefix, "prefix");
        this.options = Objects.requireNonNull(options, "options");
    }

    /**
     * The lock of a key. No round trip.
     *
     * @param lockKey a string
     * @return the lock
     * @throws IllegalArgumentException if the key is no string
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
     * Makes the lock that this thread holds last for at least the length of the registry's lease from now on. One round trip.
     *
     * @param lockKey a string
     * @throws IllegalArgumentException if the key is no string
     * @throws IllegalStateException if this thread does not hold the lock, or has lost it
     * @throws io.boltwork.BackendException if the backend did not answer
     */
    @Override
    public void renewLock(Object lockKey) {
        renewLock(lockKey, options.lease());
    }

    /**
     * Makes the lock that this thread holds last for at least {@code ttl} from now on. A lock that would last longer anyway is not
     * shortened. One round trip.
     *
     * @param lockKey a string
     * @param ttl 1 ms to 365 days
     * @throws IllegalArgumentException if the key is no string, or the time is out of range
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
            throw new UnsupportedOperationException("Conditions are not supported");
        }

        @Override
        public String toString() {
            return "BoltworkLockRegistry lock '" + Printable.text(fenced.name()) + "'";
        }
    }
}
