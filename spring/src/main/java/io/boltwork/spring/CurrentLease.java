package io.boltwork.spring;

import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.spi.Printable;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The leases under which this thread executes a method with {@link DistributedLock}, or an action of {@link LockTemplate}: for code
 * that must not be executed without, and for code that needs more time than its lease has.
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
 * <p>Asynchronous methods have it on the thread that they begin on; work that goes on elsewhere gets the lease passed. The method or
 * template gives the lease back: do not release it.
 */
public final class CurrentLease {
    private static final ThreadLocal<@Nullable Hold> INNERMOST = new ThreadLocal<>();

    private CurrentLease() {}

    /** A lock that is held: by this thread, if there is no lease. */
    record Hold(
            FencedLock lock,
            @Nullable Lease lease,
            @Nullable Hold outer) {

        @Nullable
        Lease current() {
            return lease != null ? lease : lock.currentLease().orElse(null);
        }
    }

    /** Makes a hold this thread's innermost one, and returns what was that before. */
    static @Nullable Hold enter(FencedLock lock, @Nullable Lease lease) {
        Hold outer = INNERMOST.get();
        INNERMOST.set(new Hold(lock, lease, outer));
        return outer;
    }

    /** Makes {@code outer} this thread's innermost hold again. */
    static void leave(@Nullable Hold outer) {
        if (outer == null) {
            INNERMOST.remove();
        } else {
            INNERMOST.set(outer);
        }
    }

    /**
     * The innermost lease. No round trip.
     *
     * @return the lease, also if it has been lost; empty if this thread executes nothing under a lock
     */
    public static Optional<Lease> find() {
        Hold hold = INNERMOST.get();
        return Optional.ofNullable(hold == null ? null : hold.current());
    }

    /**
     * The lease of that lock. No round trip.
     *
     * @param lockName the lock's name, prefix and keys included
     * @return the lease, also if it has been lost; empty if this thread executes nothing under that lock
     */
    public static Optional<Lease> find(String lockName) {
        for (Hold hold = INNERMOST.get(); hold != null; hold = hold.outer()) {
            if (hold.lock().name().equals(lockName)) {
                return Optional.ofNullable(hold.current());
            }
        }
        return Optional.empty();
    }

    /**
     * The innermost lease. No round trip.
     *
     * @return the lease, also if it has been lost
     * @throws IllegalStateException if this thread executes nothing under a lock
     */
    public static Lease get() {
        return find().orElseThrow(() -> new IllegalStateException(missing("a lock")));
    }

    /**
     * The lease of that lock. No round trip.
     *
     * @param lockName the lock's name, prefix and keys included
     * @return the lease, also if it has been lost
     * @throws IllegalStateException if this thread executes nothing under that lock
     */
    public static Lease get(String lockName) {
        return find(lockName)
                .orElseThrow(() -> new IllegalStateException(missing("the lock '" + Printable.text(lockName) + "'")));
    }

    /**
     * Throws unless this thread executes something under a lock whose lease is valid. No round trip.
     *
     * @throws IllegalStateException if it does not
     * @throws io.boltwork.LeaseLostException if the innermost lease was lost
     */
    public static void ensureHeld() {
        get().ensureValid();
    }

    /**
     * Throws unless this thread executes something under that lock and its lease is valid. No round trip.
     *
     * @param lockName the lock's name, prefix and keys included
     * @throws IllegalStateException if it does not
     * @throws io.boltwork.LeaseLostException if the lease was lost
     */
    public static void ensureHeld(String lockName) {
        get(lockName).ensureValid();
    }

    /**
     * Makes the innermost lease last, as {@link Lease#extend}.
     *
     * @param atLeast how long from now on
     * @throws IllegalStateException if this thread executes nothing under a lock
     * @throws io.boltwork.LeaseLostException if the lease was lost
     * @throws io.boltwork.BackendException if the backend did not answer
     */
    public static void extend(Duration atLeast) {
        get().extend(atLeast);
    }

    private static String missing(String lock) {
        return "This thread executes nothing under " + lock
                + ": call the method with @DistributedLock from another bean, so"
                + " that its proxy takes the lock, or use LockTemplate";
    }
}
