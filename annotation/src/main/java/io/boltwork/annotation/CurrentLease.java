// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation;

import io.boltwork.Lease;
import io.boltwork.LockOwner;
import io.boltwork.annotation.acquire.EnteredLock;
import io.boltwork.spi.Printable;
import java.time.Duration;
import java.util.Optional;

/**
 * Access to the leases under which this thread executes a {@link DistributedLock} method or an action of {@code
 * LockTemplate}. Use it in code that must not run without the lock, or that needs more time than its lease provides.
 *
 * <!-- snippet: spring/Archive.java#current -->
 * <pre>{@code
 * void move() {
 *     CurrentLease.ensureHeld("archive"); // no other path leads here
 *     collect();
 *     CurrentLease.extend(Duration.ofMinutes(5));
 *     write();
 * }
 * }</pre>
 *
 * <p>In asynchronous methods, the lease is available on the thread on which the method starts; pass the lease, or the
 * {@link #owner}, to work that continues elsewhere. The method or template releases the lease: do not release it
 * yourself.
 *
 * @since 0.1.0
 */
public final class CurrentLease {
    private CurrentLease() {}

    /**
     * Returns the innermost lease. Makes no round trip.
     *
     * @return the lease, even if it has been lost; empty if this thread executes no code under a lock
     */
    public static Optional<Lease> find() {
        EnteredLock hold = EnteredLock.innermost();
        return Optional.ofNullable(hold == null ? null : hold.current());
    }

    /**
     * Returns the lease of the named lock. Makes no round trip.
     *
     * @param lockName the lock's full name, including prefix and keys
     * @return the lease, even if it has been lost; empty if this thread executes no code under that lock
     */
    public static Optional<Lease> find(String lockName) {
        for (EnteredLock hold = EnteredLock.innermost(); hold != null; hold = hold.outer()) {
            if (hold.target().name().equals(lockName)) {
                return Optional.ofNullable(hold.current());
            }
        }
        return Optional.empty();
    }

    /**
     * Returns the innermost lease. Makes no round trip.
     *
     * @return the lease, even if it has been lost
     * @throws IllegalStateException if this thread executes no code under a lock
     */
    public static Lease get() {
        return find().orElseThrow(() -> new IllegalStateException(missing("a lock")));
    }

    /**
     * Returns the lease of the named lock. Makes no round trip.
     *
     * @param lockName the lock's full name, including prefix and keys
     * @return the lease, even if it has been lost
     * @throws IllegalStateException if this thread executes no code under that lock
     */
    public static Lease get(String lockName) {
        return find(lockName)
                .orElseThrow(() -> new IllegalStateException(missing("the lock '" + Printable.text(lockName) + "'")));
    }

    /**
     * Throws unless this thread executes code under a lock and the innermost lease is valid. Makes no round trip.
     *
     * @throws IllegalStateException if this thread executes no code under a lock
     * @throws io.boltwork.LeaseLostException if the innermost lease has been lost
     */
    public static void ensureHeld() {
        get().ensureValid();
    }

    /**
     * Throws unless this thread executes code under the named lock and its lease is valid. Makes no round trip.
     *
     * @param lockName the lock's full name, including prefix and keys
     * @throws IllegalStateException if this thread executes no code under that lock
     * @throws io.boltwork.LeaseLostException if the lease has been lost
     */
    public static void ensureHeld(String lockName) {
        get(lockName).ensureValid();
    }

    /**
     * Returns the owner of the locks of an asynchronous method, for work that continues on other threads:
     * {@code lock.ownedBy(owner)} enters its locks once more. Makes no round trip.
     *
     * @return the owner; empty if this thread executes no code under locks, or owns them itself
     */
    public static Optional<LockOwner> owner() {
        return Optional.ofNullable(EnteredLock.owner());
    }

    /**
     * Extends the innermost lease, as {@link Lease#extend} does. Makes one round trip.
     *
     * @param atLeast the minimum remaining time from now on
     * @throws IllegalStateException if this thread executes no code under a lock
     * @throws io.boltwork.LeaseLostException if the lease has been lost
     * @throws io.boltwork.BackendException if the backend did not answer
     */
    public static void extend(Duration atLeast) {
        get().extend(atLeast);
    }

    private static String missing(String lock) {
        return "This thread executes nothing under " + lock
                + ": call the @DistributedLock method from another bean, so that an interceptor acquires the lock";
    }
}
